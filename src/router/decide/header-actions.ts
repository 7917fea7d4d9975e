import type { HeaderActionSpec } from '../follow/route.ts';
import type { HeaderAction } from '../model.ts';
import { headerValueProblem, isHeaderName } from '../safe-text.ts';

interface CheckedHeaders {
  readonly actions: readonly HeaderAction[];
  readonly remarks: readonly string[];
}

/**
 * OpenShift's API refuses the first four; the others would corrupt the message. `Host` may be set, since the backend was already chosen by the
 * client's own header.
 */
const reserved: ReadonlySet<string> = new Set([
  'strict-transport-security',
  'proxy',
  'cookie',
  'set-cookie',
  'content-length',
  'transfer-encoding',
]);

/** The limit of OpenShift's API. */
const maxActions = 20;

/** Returns a route's valid header actions in order, and a remark for each invalid one. */
export function headerActions(
  specs: readonly HeaderActionSpec[],
  of: 'request' | 'response',
): CheckedHeaders {
  const checked = specs.slice(0, maxActions).map((spec, index) => {
    const reason = problemOf(spec, of);
    return reason === undefined
      ? { action: actionOf(spec) }
      : { remark: `spec.httpHeaders.actions.${of}[${index}]: ignored, ${reason}` };
  });
  const more = specs.length - checked.length;
  const left =
    more > 0 ? [`spec.httpHeaders.actions.${of}: ${more} ignored, expected at most ${maxActions}`] : [];
  return {
    actions: checked.flatMap(({ action }) => (action === undefined ? [] : [action])),
    remarks: [...checked.flatMap(({ remark }) => (remark === undefined ? [] : [remark])), ...left],
  };
}

function actionOf({ name, action, value }: HeaderActionSpec): HeaderAction {
  return action === 'Set' ? { kind: 'set', name, value } : { kind: 'delete', name };
}

function problemOf(
  { name, action, value }: HeaderActionSpec,
  of: 'request' | 'response',
): string | undefined {
  if (!isHeaderName(name)) return 'expected a header name';
  if (reserved.has(name.toLowerCase())) return `routes may not change ${name}`;
  return action === 'Set' ? headerValueProblem(value, of) : undefined;
}
