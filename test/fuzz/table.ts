import type { Target } from './target.ts';
import { controlSocket } from './targets/control-socket.ts';
import { haproxyTemplate } from './targets/haproxy-template.ts';
import { journal } from './targets/journal.ts';
import { keepalivedTemplate } from './targets/keepalived-template.ts';
import { kubeconfig } from './targets/kubeconfig.ts';
import { list } from './targets/list.ts';
import { keepalivedDump, nftListing, runtimeApi } from './targets/parsers.ts';
import { proxyAnnotations } from './targets/proxy-annotations.ts';
import { routerObjects } from './targets/router-objects.ts';
import { routerRuntime } from './targets/router-runtime.ts';
import { settingsFile } from './targets/settings.ts';
import { watch } from './targets/watch.ts';

export const targets: readonly Target[] = [
  controlSocket,
  list,
  watch,
  haproxyTemplate,
  keepalivedTemplate,
  kubeconfig,
  settingsFile,
  journal,
  keepalivedDump,
  runtimeApi,
  nftListing,
  routerObjects,
  routerRuntime,
  proxyAnnotations,
];
