import type { Plan } from '../engine/config/deploy-state.ts';
import { type Rendered, SET_FOLDER, sha256Of } from '../engine/config/set.ts';
import { RENDERED_MARK } from '../engine/render/rendered-mark.ts';
import { planBetween } from '../haproxy/runtime/difference.ts';
import type { Certificates } from './certificate.ts';
import { type Downstream, hostsOf } from './hosts.ts';
import type { TemplateModel } from './template/jinja.ts';

/** HAProxy may run as another user, who must be able to read haproxy.cfg. */
const MODE = 0o644;

interface Input {
  readonly downstreams: readonly Downstream[];
  readonly certificates: Certificates;
}

export function modelOf({ downstreams, certificates }: Input): TemplateModel {
  const paths = Object.keys(certificates).map((name) => [name, `${SET_FOLDER}/${fileOf(name)}`] as const);
  return { hosts: hostsOf(downstreams), certs: Object.fromEntries(paths) };
}

/** The rendered template plus what the supervisor needs, and the certificates if it names any. */
export function renderedSet(
  rendered: string,
  { certificates }: Pick<Input, 'certificates'>,
  settings: { readonly statsSocket: string },
): Rendered {
  const text = configurationText(rendered, settings);
  if (!text.includes(SET_FOLDER)) return { text, mode: MODE };
  const others = Object.entries(certificates).map(([name, content]) => ({
    name: fileOf(name),
    content,
    secret: true,
  }));
  return { text, mode: MODE, others };
}

/** A Secret's name with `.pem` and a temporary suffix may exceed the limit for a file name. */
const LONGEST = 200;

function fileOf(name: string): string {
  return `certs/${name.length > LONGEST ? sha256Of(name) : name}.pem`;
}

/**
 * Appends what the supervisor needs, so that line numbers in HAProxy's messages match the rendered template. HAProxy merges sections named `global`.
 */
export function configurationText(
  rendered: string,
  { statsSocket }: { readonly statsSocket: string },
): string {
  return `${rendered}
# ${RENDERED_MARK}: edit the pod's annotation, not the result.
global
  # For the supervisor; "expose-fd listeners" hands the open listeners to the next generation.
  stats socket ${statsSocket} mode 600 level admin expose-fd listeners
`;
}

/**
 * How to get from one set to another; every file except haproxy.cfg is a certificate. Names like `web-{{loop.index}}` move to another pod
 * whenever a pod is removed, and the pods that stay must not lose a connection.
 */
export function podProxyDifference(running: Rendered, wanted: Rendered): Plan {
  return planBetween(running, wanted, () => 'certificate');
}
