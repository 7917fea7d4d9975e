import type { SetFile } from '../../engine/config/set.ts';
import { UNAVAILABLE_FILE } from './file-names.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Application is not available</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 12vh auto; max-width: 40rem; padding: 0 1.5rem }
h1 { border-left: .3rem solid #c60; padding-left: .8rem; font-size: 1.6rem }
li { margin: .4rem 0 }
</style>
</head>
<body>
<h1>Application is not available</h1>
<p>No application answers at this address at the moment. Try again in a minute.</p>
<p>If you run this application, check:</p>
<ul>
<li>the host and path of the request match a Route or an Ingress whose status is Admitted;</li>
<li>the Route matches the scheme: a Route with TLS serves http only if it allows or redirects it;</li>
<li>its Service has endpoints, and their pods are ready.</li>
</ul>
</body>
</html>
`;

/** Has the status and headers of openshift-router's page, so that clients and caches see no difference. */
export const unavailablePage: SetFile = {
  name: UNAVAILABLE_FILE,
  content: [
    'HTTP/1.0 503 Service Unavailable',
    'Pragma: no-cache',
    'Cache-Control: private, max-age=0, no-cache, no-store',
    'Connection: close',
    'Content-Type: text/html',
    '',
    page,
  ].join('\r\n'),
};
