class Batch {
  void run(Member m) {
    org.slf4j.LoggerFactory.getLogger(Batch.class).info("member {} {}", m.getName(), m.getPhone());
  }
}
