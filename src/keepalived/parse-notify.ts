import type { Notification } from './vrrp-program.ts';

/**
 * `INSTANCE "API" MASTER 230`: keepalived.conf(5), "vrrp_notify_fifo". Undefined for anything else: a newer keepalived
 * may say more.
 */
export function parseNotification(line: string): Notification | undefined {
  const found = /^(INSTANCE|GROUP) "(.*)" ([A-Z_]+) (\d+)$/.exec(line.trim());
  const [, subject, name, what, priority] = found ?? [];
  if (subject === undefined || name === undefined || what === undefined) return undefined;
  return { subject: subject === 'GROUP' ? 'GROUP' : 'INSTANCE', name, what, priority: Number(priority) };
}
