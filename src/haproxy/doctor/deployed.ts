import type { CommandSpec } from '../../cli/command-spec.ts';
import { type Finding, fail } from '../../engine/examine/check.ts';
import type { NodeContext } from '../../engine/examine/context.ts';

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

/** For a running controller whose page does not answer. */
export function silentPage(container: string, problem: string | null): Finding {
  return fail(
    `its page does not answer: ${problem}`,
    `kubectl logs POD -c ${container}; the kubelet restarts it`,
  );
}
