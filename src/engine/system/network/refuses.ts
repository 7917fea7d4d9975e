import { connect } from 'node:net';
import { codeOf } from '../errors.ts';
import { patientTimer } from '../time/patient-timeout.ts';
import { onceConnected } from './once-connected.ts';

/** Whether the host itself refuses the connection. False if it accepts or does not answer. */
export function refuses({ host, port }: { readonly host: string; readonly port: number }, timeoutMs: number) {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port });
  const settle = (isRefused: boolean): void => {
    timer[Symbol.dispose]();
    socket.destroy();
    resolve(isRefused);
  };
  const timer = patientTimer(timeoutMs, () => settle(false));
  onceConnected(socket, () => settle(false));
  socket.once('error', (error) => settle(codeOf(error) === 'ECONNREFUSED'));
  return promise;
}
