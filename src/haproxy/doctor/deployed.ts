import type * as z from 'zod/mini';
import type { CommandSpec } from '../../cli/command-spec.ts';
import { askProgram } from '../../engine/examine/ask-program.ts';
import {
  type FactReader,
  type Finding,
  fail,
  type Reading,
  read,
  readOnce,
} from '../../engine/examine/check.ts';
import type { NodeContext } from '../../engine/examine/context.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';

/** The context of a check on a controller that runs next to HAProxy in a pod of a Deployment. */
export interface DeployedContext extends NodeContext {
  readonly readings: NodeContext['readings'] & {
    readonly deployed: <Settings>(spec: CommandSpec<Settings>) => Settings | undefined;
  };
}

/** Returns a function that reads the settings of the controller that runs here. It throws if there is none, so that no check runs. */
export function deployedSettings<Settings>(
  spec: CommandSpec<Settings>,
): (context: DeployedContext) => Settings {
  return ({ readings }) => {
    const settings = readings.deployed(spec);
    if (settings === undefined) throw new Error(`no hawser ${spec.name} runs here`);
    return settings;
  };
}

export function answerLimits({ answerTimeoutMs, signal }: DeployedContext) {
  return { signal, timeoutMs: answerTimeoutMs };
}

/**
 * A running controller's page for the check that fails if it does not answer, and its status for all others, whose finding is `silent`
 * then.
 */
export function pageFacts<Status>(
  name: string,
  settingsIn: (context: DeployedContext) => { readonly listen: PageAddress | undefined },
  schema: z.ZodMiniType<Status>,
  silent: Reading<never>,
) {
  const page = async (context: DeployedContext) =>
    read(await askProgram(name, settingsIn(context).listen, schema, answerLimits(context)));
  const status: FactReader<DeployedContext, Status> = async (context) => {
    const answer = await readOnce(context, page);
    return answer.kind === 'read' && answer.value.status !== null ? read(answer.value.status) : silent;
  };
  return { page, status };
}

/** For a running controller whose page does not answer. */
export function silentPage(container: string, problem: string | null): Finding {
  return fail(
    `its page does not answer: ${problem}`,
    `kubectl logs POD -c ${container}; the kubelet restarts it`,
  );
}
