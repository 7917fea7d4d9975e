import { commandSpec, flag, jsonFlag } from '../../cli/command-spec.ts';
import { nonEmpty, oneOf, parsedBy } from '../../cli/fields.ts';
import { haproxyMonitorFlags } from '../../haproxy/supervise/haproxy-flags.ts';
import { withRules } from './admission-flags.ts';
import { wordPath } from './router-fields.ts';
import { routerFlags } from './router-settings.ts';

/** What the commands decide about that ask no API. */
const objectsFlag = flag(
  '<path>',
  nonEmpty,
  'YAML or JSON with Routes, Services, EndpointSlices …; - for standard input',
  { default: '-', typedOnly: true, inFile: 'never' },
);

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

const place = parsedBy(
  (text) => (/^[^/\s]+(?:\/(?!\/)|$)/.test(text) ? text : undefined),
  'expected HOST or HOST/PATH; for a scheme there is --scheme',
);

export const routerExplainCommand = commandSpec({
  name: 'router explain',
  section: 'router',
  summary:
    'Says which route answers a request, through which backend and certificate, and why not the others.',
  positionals: {
    place: { help: 'HOST or HOST/PATH, such as shop.example.com/cart', field: place, inFile: 'never' },
  },
  flags: {
    scheme: flag('<scheme>', oneOf(['http', 'https']), 'http or https', {
      default: 'https',
      typedOnly: true,
      inFile: 'never',
    }),
    objects: objectsFlag,
    ...routerFlags,
    json: jsonFlag('print JSON'),
  },
  examples: [
    ['hawser router explain shop.example.com --scheme http --objects routes.yaml'],
    [
      'kubectl get routes,endpointslices,services,secrets -A -o yaml | hawser router explain shop.example.com/cart',
      'who answers, and why not the others?',
    ],
  ],
  notes: [
    'The settings are those of hawser router render, in the same environment: what it writes is what is explained.',
    'Nothing is asked but the objects that are given. A host is taken for the name that the client asks for in TLS, too.',
    'Objects that cannot be read are left out, and named on stderr.',
    'Exit codes: 0 a route answers or redirects; 1 none does, or failure at run time; 2 usage.',
  ],
  derive: withRules,
});
