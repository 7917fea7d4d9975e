import { runProxy } from '../pod-proxy/proxy.ts';
import { proxyCommand } from '../pod-proxy/proxy-settings.ts';

export const spec = proxyCommand;
export const run = runProxy;
