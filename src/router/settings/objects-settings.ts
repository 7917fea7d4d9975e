import { commandSpec, flag, jsonFlag } from '../../cli/command-spec.ts';
import { nonEmpty, oneOf, parsedBy } from '../../cli/fields.ts';
import { haproxyMonitorFlags } from '../../haproxy/supervise/haproxy-flags.ts';
import { withRules } from './admission-flags.ts';
import { wordPath } from './router-fields.ts';
import { routerFlags } from './router-settings.ts';

/** The objects for commands that do not use the API. */
const objectsFlag = flag(
  '<path>',
  nonEmpty,
  'YAML or JSON with Routes, Services, EndpointSlices …; - for standard input',
  { default: '-', typedOnly: true, inFile: 'never' },
);

export const routerRenderCommand = commandSpec({
  name: 'router render',
  section: 'router',
  summary: "Writes the router's whole configuration from the objects in a file.",
  flags: {
    objects: objectsFlag,
    out: flag('<path>', wordPath, 'folder for haproxy.cfg, maps, lists and certificates', {
      typedOnly: true,
      inFile: 'never',
    }),
    ...routerFlags,
    haproxy: haproxyMonitorFlags.haproxy,
    json: jsonFlag('print the result for each route as JSON'),
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
    "The environment variables have the OpenShift router's names. Reuse those of its deployment, except TEMPLATE_FILE: it must be an EJS file, and a Go template is refused.",
    'If HAProxy is installed, it validates the settings without any routes, and refused settings are named.',
    'Without a default certificate, a self-signed one is created and kept in the folder for later runs.',
    'Exit codes: 0 written, 1 failure at run time, 2 usage or configuration.',
  ],
  derive: withRules,
});

const place = parsedBy(
  (text) => (/^[^/\s]+(?:\/(?!\/)|$)/.test(text) ? text : undefined),
  'expected HOST or HOST/PATH; use --scheme for the scheme',
);

export const routerExplainCommand = commandSpec({
  name: 'router explain',
  section: 'router',
  summary: 'Shows which route answers a request, with which backend and certificate, and why others do not.',
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
      'which route answers, and why the others do not',
    ],
  ],
  notes: [
    'Takes the settings of hawser router render, also from the environment, and explains the configuration that it writes.',
    "Reads only the given objects, not the API. The host also serves as the client's TLS server name (SNI).",
    'Objects that cannot be read are left out and named on stderr.',
    'Exit codes: 0 a route answers or redirects; 1 none does, or failure at run time; 2 usage.',
  ],
  derive: withRules,
});
