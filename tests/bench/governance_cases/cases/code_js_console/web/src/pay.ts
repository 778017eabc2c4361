import winston from "winston";
const log = winston.createLogger({ transports: [new winston.transports.Console()] });

export function pay(order: { id: number; cardNo: string; residentNo: string }) {
  log.info({ msg: "pay", cardNo: order.cardNo, residentNo: order.residentNo });
}
