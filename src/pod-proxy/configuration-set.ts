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

/** The rendered template with the supervisor's additions, and the certificates if the template uses any. */
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
const MAX_NAME_CHARACTERS = 200;

function fileOf(name: string): string {
  return `certs/${name.length > MAX_NAME_CHARACTERS ? sha256Of(name) : name}.pem`;
}

/**
 * Adds the supervisor's stats socket. It is appended, so that line numbers in HAProxy's messages match the template. HAProxy merges `global` sections.
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
 * Plans the runtime updates from one set to another. Every file except haproxy.cfg is a certificate. Server names such as `web-{{loop.index}}` move to
 * another pod when a pod is removed, and the remaining pods must not lose connections.
 */
export function podProxyDifference(running: Rendered, desired: Rendered): Plan {
  return planBetween(running, desired, () => 'certificate');
}
