package kr.example.pay;

public class PaymentService {
    private final PaymentRepository repo;

    public PaymentService(PaymentRepository repo) { this.repo = repo; }

    public Payment save(String cardNo, int amount) {
        System.out.println("saving " + cardNo);
        return repo.save(new Payment(cardNo, amount));
    }
}
