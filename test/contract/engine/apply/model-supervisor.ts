import { readFileSync } from 'node:fs';
import { sha256Of } from '../../../../src/engine/apply/file-set.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import type { ApplyScene } from './apply-scene.ts';

interface Order {
  readonly from: string;
  readonly to: string;
  readonly ahead?: true;
  readonly changes: readonly object[];
}

/** What a supervisor that makes changes knows of what runs. */
export interface ModelSupervisor {
  /** The hash of a file, or the word of an update made ahead of its file. */
  served: string;
  /** HAProxy makes no change, with these words. */
  refusal: string | undefined;
  /** It does not know `ahead`: it reloads the file on disk. */
  isOld: boolean;
  readonly reloads: () => number;
}

/** Has the scene answer as a supervisor that serves what lies at `configPath`. */
export function modelSupervisor(scene: ApplyScene, configPath = scene.configPath): ModelSupervisor {
  let generation = 1;
  const there = (): string => sha256Of(readFileSync(configPath));
  const model: ModelSupervisor = {
    ...{ served: there(), refusal: undefined, isOld: false },
    reloads: () => generation - 1,
  };
  const reload = (refused?: string): Answer => {
    generation += 1;
    model.served = there();
    return { ok: true, generation, tookMs: 5, ...(refused !== undefined && { refused }) };
  };
  const apply = ({ from, to, ahead, changes }: Order): Answer => {
    const isRefused = changes.length > 0 && model.refusal !== undefined;
    const isSame = model.served === to;
    if (isSame || (model.served === from && !isRefused)) {
      model.served = to;
      return { ok: true, generation, tookMs: 5, atRunTime: true, commands: changes.length };
    }
    const refused = model.served === from ? model.refusal : undefined;
    return ahead === true && !model.isOld
      ? { ok: false, stage: 'change', message: 'no', ...(refused !== undefined && { refused }) }
      : reload(refused);
  };
  const answer = (): Answer => {
    const line = scene.requests.at(-1) ?? '';
    return line.startsWith('apply ') ? apply(JSON.parse(line.slice('apply '.length))) : reload();
  };
  Object.defineProperty(scene.answers, 'reload', { configurable: true, get: answer });
  Object.defineProperty(scene.answers, 'status', {
    configurable: true,
    get: () => ({ ok: true, current: { configSha256: model.served }, changes: { made: 0 } }),
  });
  return model;
}
