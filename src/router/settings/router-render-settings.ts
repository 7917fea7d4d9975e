import { commandSpec, flag, jsonFlag } from '../../cli/command-spec.ts';
import { haproxyMonitorFlags } from '../../haproxy/supervise/haproxy-flags.ts';
import { withRules } from './admission-flags.ts';
import { objectsFlag } from './objects-flag.ts';
import { wordPath } from './router-fields.ts';
import { routerFlags } from './router-settings.ts';

export const routerRenderCommand = commandSpec({
  name: 'router render',
  section: 'router',
  summary: "Writes the router's whole configuration, made of objects in a file.",
  flags: {
    objects: objectsFlag,
    out: flag('<path>', wordPath, 'folder for haproxy.cfg, maps, lists and certificates', {
      typedOnly: true,
      inFile: 'never',
    }),
    ...routerFlags,
    haproxy: haproxyMonitorFlags.haproxy,
    json: jsonFlag('print what became of each route as JSON'),
  },
  examples: [
    ['hawser router render --objects routes.yaml --out /tmp/router && haproxy -c -f /tmp/router/haproxy.cfg'],
    [
      'kubectl get routes,endpointslices,services,secrets -A -o yaml | hawser router render --objects - --out /tmp/router',
    ],
    [
      'hawser router render --objects routes.yaml --out /tmp/router --lookup regex',
      'the map files of the OpenShift router',
    ],
  ],
  notes: [
    "The settings have the names of the OpenShift router in the environment. Take its deployment's over but for TEMPLATE_FILE: an EJS file here, and a Go template is refused.",
    'HAProxy checks what the settings give without any route, where it can be run: one that it refuses is named.',
    'Without a default certificate a self-signed one is made, and kept in the folder for the next time.',
    'Exit codes: 0 written, 1 failure at run time, 2 usage or configuration.',
  ],
  derive: withRules,
});
