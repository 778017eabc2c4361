create table guest (
    guest_id      serial primary key,
    full_name     text not null,
    phone         text,
    birth_date    date,
    passport_no   varchar(12)
);
create table booking (
    booking_id    serial primary key,
    guest_id      int references guest(guest_id),
    room_no       varchar(6),
    check_in      date,
    check_out     date,
    memo          text
);
comment on column booking.memo is 'free text, front desk writes anything here';
