import { othersOf, type Rendered } from '../../engine/apply/file-set.ts';
import { oncePer } from '../../engine/system/once-per.ts';
import { toldBackends } from '../../haproxy/runtime/difference.ts';
import { type Lines, linesIn } from '../../haproxy/runtime/plan-files.ts';
import type { RouteBackend } from '../model.ts';
import {
  CERTIFICATE_LIST_FILE,
  certificateFileName,
  DEFAULT_CERTIFICATE_FILE,
} from '../render/file-names.ts';

/** Routes, and their rendered configuration. */
interface Made {
  readonly backends: readonly RouteBackend[];
  readonly rendered: Rendered;
}

/**
 * The served routes, with every wanted change of pods or certificate content that HAProxy takes at runtime. Each route is decided alone, so that
 * no tenant's route delays another tenant's pods. If only the default certificate changed, the served routes with the new one are the partial
 * update. Undefined without any.
 */
export function partly(served: Made, wanted: Made): readonly RouteBackend[] | undefined {
  const known = new Map(served.backends.map((backend) => [backend.name, backend]));
  const moved = wanted.backends.filter((backend) => {
    const before = known.get(backend.name);
    return before !== undefined && before !== backend && fixedPart(before) === fixedPart(backend);
  });
  const isRenewed = ({ name, certificate }: RouteBackend): boolean =>
    known.get(name)?.certificate?.pem !== certificate?.pem;
  const waiting = waitingCertificates(moved.filter(isRenewed), served, wanted);
  const names = moved.filter((backend) => !waiting.has(backend)).map(({ name }) => name);
  const told = new Set(toldBackends(served.rendered, wanted.rendered, names));
  if (told.size === 0) return isDefaultRenewed(served, wanted) ? served.backends : undefined;
  const news = new Map(moved.filter(({ name }) => told.has(name)).map((backend) => [backend.name, backend]));
  return served.backends.map((backend) => news.get(backend.name) ?? backend);
}

/**
 * Renewed certificates that wait for a reload. Some change their line in the certificate list, and the order of lines may need a reload: with
 * the default certificate's names, HTTP/2 is no longer offered. Others are still served for another route: browsers would join connections to
 * both.
 */
function waitingCertificates(
  renewed: readonly RouteBackend[],
  served: Made,
  wanted: Made,
): ReadonlySet<RouteBackend> {
  if (renewed.length === 0) return new Set();
  const [before, now] = [linesOfList(served), linesOfList(wanted)];
  const inUse = new Set(served.backends.map(({ certificate }) => certificate?.pem));
  const isRelisted = (file: string): boolean => before.get(file) !== now.get(file);
  return new Set(
    renewed.filter(
      ({ key, certificate }) => inUse.has(certificate?.pem) || isRelisted(certificateFileName(key)),
    ),
  );
}

function isDefaultRenewed(served: Made, wanted: Made): boolean {
  return contentOf(DEFAULT_CERTIFICATE_FILE, served) !== contentOf(DEFAULT_CERTIFICATE_FILE, wanted);
}

function linesOfList(made: Made): Lines {
  return linesIn(contentOf(CERTIFICATE_LIST_FILE, made) ?? '');
}

function contentOf(file: string, { rendered }: Made) {
  return othersOf(rendered).find(({ name }) => name === file)?.content;
}

/** All that makes a reload, or another line of a map or a list, where it changes. */
export const fixedPart = oncePer(({ servers: _, remarks: __, certificate, ...rest }: RouteBackend): string =>
  JSON.stringify({ ...rest, http2: certificate?.http2 }),
);
