import logging

logger = logging.getLogger("Nordlys.Booking")


class BookingService:
    def __init__(self, connection, cipher):
        self.connection = connection
        self.cipher = cipher

    def priceOf(self, nights, perNight):
        discount = 10 if nights >= 7 else 0
        return nights * perNight * (100 - discount) // 100

    def cancel(self, bookingId):
        row = self.connection.execute("SELECT GuestEmail FROM Booking WHERE BookingId = ?", (bookingId,)).fetchone()
        if row is None:
            logger.warning("cancel: no booking %s", bookingId)
            return None
        self.connection.execute("DELETE FROM Booking WHERE BookingId = ?", (bookingId,))
        logger.info("booking %s cancelled", bookingId)
        return row[0]
