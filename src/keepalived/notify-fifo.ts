import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { ConfigError, codeOf } from '../engine/system/errors.ts';
import { runLeanCommand } from '../engine/system/process/run-lean-command.ts';
import type { Notification } from './vrrp-program.ts';

/**
 * Reads keepalived's transitions from a FIFO (mode 0600). The FIFO is created if it is missing, and replaces a symbolic link. An
 * existing FIFO is kept: a keepalived that outlived its supervisor still writes to it, and its earlier lines are in the buffer.
 *
 * The FIFO is opened for reading and writing, which never blocks, and there is no end of file when a keepalived ends. It is read as a
 * socket, which is polled with everything else; a read through `fs` would occupy one of Node's four threads for ever. Throws a
 * ConfigError if another file is at the path.
 */
export async function readNotifyFifo(
  path: string,
  onNotification: (notification: Notification) => void,
): Promise<() => void> {
  await makeFifo(path);
  let notified: OpenFifo | undefined;
  const open = (): OpenFifo => {
    const fifo = openFifo(path, (notification) => {
      notified = fifo;
      onNotification(notification);
    });
    return fifo;
  };
  let latest = open();
  let readers: readonly OpenFifo[] = [latest];
  // A removed FIFO is created again for the next keepalived. The running one still writes to the FIFO that it has open.
  const timer = setInterval(() => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFIFO() !== true) void makeFifo(path).catch(() => undefined);
    if (stats?.isFIFO() !== true || stats.ino === latest.inode) return;
    try {
      latest = open();
    } catch {
      // It may have been removed meanwhile, or there is no file descriptor left. The next check tries again.
      return;
    }
    const spare = readers.length < MOST_READERS ? undefined : readers.find((each) => each !== notified);
    spare?.close();
    readers = [...readers.filter((each) => each !== spare), latest];
  }, RECHECK_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    for (const reader of readers) reader.close();
  };
}

const RECHECK_INTERVAL_MS = 1_000;
/** How many FIFOs that had this path are read at once. The one that was last written to, by the running keepalived, stays open. */
const MOST_READERS = 4;

interface OpenFifo {
  readonly inode: number;
  readonly close: () => void;
}

/** Opens the FIFO and sets its mode. Any other file at the path is not touched. */
function openAsFifo(path: string): { readonly fd: number; readonly inode: number } {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const stats = fstatSync(fd);
  if (stats.isFIFO()) {
    fchmodSync(fd, 0o600);
    return { fd, inode: stats.ino };
  }
  closeSync(fd);
  throw new ConfigError([`Cannot use notify FIFO "${path}": not a FIFO, expected one or nothing`]);
}

function openFifo(path: string, onNotification: (notification: Notification) => void): OpenFifo {
  const { fd, inode } = openAsFifo(path);
  const socket = new Socket({ fd, readable: true, writable: false });
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(-MAX_LINE);
    for (const line of lines) {
      const notification = parseNotification(line);
      if (notification !== undefined) onNotification(notification);
    }
  });
  socket.on('error', () => socket.destroy());
  return { inode, close: () => socket.destroy() };
}

/**
 * False once every process that reads the FIFO has ended. keepalived and its supervisor both keep it open for reading and writing, and
 * the kernel closes it when they die. This works across containers, where a pid has no meaning. Undefined if there is no FIFO, or if
 * this process may not open it.
 */
export function hasFifoReader(path: string): boolean | undefined {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW));
    return lstatSync(path).isFIFO() || undefined;
  } catch (error) {
    return codeOf(error) === 'ENXIO' ? false : undefined;
  }
}

const MAX_LINE = 4_096;

async function makeFifo(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFIFO() === true) return;
  const isLink = stats?.isSymbolicLink() === true;
  if (stats !== undefined && !isLink && (stats.size > 0 || stats.isDirectory()))
    throw new ConfigError([`Cannot use notify FIFO "${path}": not a FIFO, expected one or nothing`]);
  if (stats !== undefined) unlinkSync(path);
  const { exitCode, stderr } = await runLeanCommand(['mkfifo', '-m', '600', path], { timeoutMs: 5_000 });
  if (exitCode !== 0)
    throw new Error(`Cannot make FIFO "${path}": ${stderr.trim()}, expected mkfifo to do it`);
}

/**
 * Parses `INSTANCE "API" MASTER 230`: keepalived.conf(5), "vrrp_notify_fifo". Undefined for any other line, such as one about a sync
 * group, whose instances report the same transition.
 */
export function parseNotification(line: string): Notification | undefined {
  const match = /^INSTANCE "(.*)" ([A-Z_]+) (\d+)$/.exec(line.trim());
  const [, name, what, priority] = match ?? [];
  return name === undefined || what === undefined ? undefined : { name, what, priority: Number(priority) };
}
