import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { ConfigError, codeOf } from '../engine/system/errors.ts';
import { runLeanCommand } from '../engine/system/process/run-lean-command.ts';
import type { Notification } from './vrrp-program.ts';

/**
 * Reads keepalived's transitions from a FIFO (mode 0600) that is made where it is missing, and in place of a link; one that is there is kept,
 * since a keepalived that outlived its supervisor still writes to it, and what it wrote meanwhile is in its buffer.
 *
 * Opened for reading and writing: that never blocks, and there is no end of file that would have to be waited out with
 * every keepalived that ends. As a socket it is polled with everything else; a read through `fs` would occupy one of
 * Node's four threads for ever. Throws a ConfigError where something else is in the way.
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
  // Removed, it is made again: the next keepalived opens what has that name. The one that runs writes to the one it opened.
  const timer = setInterval(() => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFIFO() !== true) void makeFifo(path).catch(() => undefined);
    if (found?.isFIFO() !== true || found.ino === latest.inode) return;
    try {
      latest = open();
    } catch {
      // It may have been removed meanwhile, or there is no descriptor left. The next look tries again.
      return;
    }
    const spare = readers.length < MOST_READERS ? undefined : readers.find((each) => each !== notified);
    spare?.close();
    readers = [...readers.filter((each) => each !== spare), latest];
  }, LOOK_AGAIN_MS);
  return () => {
    clearInterval(timer);
    for (const reader of readers) reader.close();
  };
}

const LOOK_AGAIN_MS = 1_000;
/** Of FIFOs that had this name. Never closed for want of room: the one that was last written to, by the keepalived that runs. */
const MOST_READERS = 4;

interface OpenFifo {
  readonly inode: number;
  readonly close: () => void;
}

/** With the mode that it is to have. What has taken its place is not touched. */
function openAsFifo(path: string): { readonly fd: number; readonly inode: number } {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const found = fstatSync(fd);
  if (found.isFIFO()) {
    fchmodSync(fd, 0o600);
    return { fd, inode: found.ino };
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
 * False once every process that reads the FIFO has ended. keepalived and its supervisor both open it for reading and
 * writing for as long as they live, and the kernel closes it at their death: this also holds across containers, where
 * a pid means nothing. Undefined where there is no FIFO, or one that this process may not open.
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
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFIFO() === true) return;
  const isLink = found?.isSymbolicLink() === true;
  if (found !== undefined && !isLink && (found.size > 0 || found.isDirectory()))
    throw new ConfigError([`Cannot use notify FIFO "${path}": not a FIFO, expected one or nothing`]);
  if (found !== undefined) unlinkSync(path);
  const { exitCode, stderr } = await runLeanCommand(['mkfifo', '-m', '600', path], { timeoutMs: 5_000 });
  if (exitCode !== 0)
    throw new Error(`Cannot make FIFO "${path}": ${stderr.trim()}, expected mkfifo to do it`);
}

/**
 * `INSTANCE "API" MASTER 230`: keepalived.conf(5), "vrrp_notify_fifo". Undefined for anything else: a sync group moves as
 * its instances do, and a newer keepalived may say more.
 */
export function parseNotification(line: string): Notification | undefined {
  const found = /^INSTANCE "(.*)" ([A-Z_]+) (\d+)$/.exec(line.trim());
  const [, name, what, priority] = found ?? [];
  return name === undefined || what === undefined ? undefined : { name, what, priority: Number(priority) };
}
