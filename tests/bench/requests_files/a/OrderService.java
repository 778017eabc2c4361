package shop;

public class OrderService {
    private final Stock stock;

    public OrderService(Stock stock) { this.stock = stock; }

    public void place(Order order) {
        stock.reserveStock(order.sku(), order.count());
    }

    public void retry(Order order) {
        if (!order.done()) { stock.reserveStock(order.sku(), 1); }
    }
}
