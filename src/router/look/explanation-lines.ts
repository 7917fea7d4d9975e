import { countText, printable } from '../../engine/system/text/readable-text.ts';
import type { Explanation, ShownCertificate } from './explain.ts';

/** For a person. Names and messages are tenants': nothing in them moves a terminal's cursor. */
export function explanationLines(explanation: Explanation): readonly string[] {
  const { request, certificate, remarks, others } = explanation;
  return [
    `${request.scheme}://${request.host}${request.path}`,
    `  ${answerText(explanation)}`,
    ...(certificate === undefined ? [] : [`  certificate: ${certificateText(certificate)}`]),
    ...remarks.map((remark) => `  remark: ${remark}`),
    ...(others.length === 0 ? [] : ['also wanted by']),
    ...others.map(({ route, place, why }) => `  ${route} (${place}): ${why}`),
  ].map((line) => line.slice(0, line.search(/\S/)) + printable(line));
}

function answerText({ answer, route, backend, place, servers = [] }: Explanation): string {
  if (answer === 'none') return 'answered by no route: 503';
  const of = `route ${route} (${place})`;
  if (answer === 'redirect') return `redirected to https by ${of}`;
  const taking = servers.filter(({ weight }) => weight > 0).length;
  const pods = taking === 0 ? 'no server that takes requests: 503' : countText(taking, 'server');
  return `answered by ${of} through ${backend}: ${pods}`;
}

function certificateText({ refused, route, names, expires }: ShownCertificate): string {
  if (refused) return 'none: TLS to this host is refused (--strict-sni)';
  return route === undefined ? "the router's default one" : `of ${route}, for ${names}, until ${expires}`;
}
