import { RENDERED_MARK } from '../engine/render/rendered-mark.ts';

/**
 * A rendered template with what the supervisor needs. It stands behind the template's own lines, so that the numbers of lines in
 * HAProxy's messages are those of the template's result; HAProxy merges sections named `global`.
 */
export function configurationText(
  rendered: string,
  { statsSocket }: { readonly statsSocket: string },
): string {
  return `${rendered}
# ${RENDERED_MARK}: edit the pod's annotation, not the result.
global
  # The supervisor's way in; "expose-fd listeners" hands the open listeners to the next generation.
  stats socket ${statsSocket} mode 600 level admin expose-fd listeners
`;
}
