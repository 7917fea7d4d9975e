import { connect } from 'node:net';
import { patientTimer } from '../engine/system/time/patient-timeout.ts';

/** More than a full session table of a busy worker. A longer reply is cut off. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/**
 * Sends one command to a stats or master socket and returns HAProxy's reply, or undefined if there is none within `timeoutMs`. Never rejects. Source:
 * HAProxy's management guide, "Unix Socket commands".
 */
export function askRuntimeApi(
  socketPath: string,
  command: string,
  timeoutMs: number,
  maxReplyBytes = MAX_REPLY_BYTES,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect(socketPath);
    const settle = (value: string | undefined): void => {
      timer[Symbol.dispose]();
      socket.destroy();
      resolve(value);
    };
    const timer = patientTimer(timeoutMs, () => settle(undefined));
    socket.setEncoding('utf8');
    // A master socket keeps the conversation open until the client closes its side.
    socket.once('connect', () => socket.end(`${command}\n`));
    socket.on('data', (text) => {
      reply += text;
      if (reply.length > maxReplyBytes) settle(reply);
    });
    // The reply to a command without output is an empty line.
    socket.once('end', () => settle(reply || undefined));
    socket.once('error', () => settle(undefined));
  });
}
