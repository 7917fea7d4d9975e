import { readFileSync } from 'node:fs';
import { revisionIn } from '../../../../src/engine/config/layout.ts';
import type { Answer } from '../../../../src/engine/control/answer.ts';
import type { ApplyScene } from './apply-scene.ts';

interface Request {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly object[];
}

/** What a supervisor reports as running. */
export interface ModelSupervisor {
  running: string;
  readonly reloads: () => number;
}

/** Lets the scene answer like a supervisor that serves the file at `configPath`. */
export function modelSupervisor(scene: ApplyScene, configPath = scene.configPath): ModelSupervisor {
  let generation = 1;
  const there = (): string => revisionIn(readFileSync(configPath)).revision;
  const model: ModelSupervisor = { running: there(), reloads: () => generation - 1 };
  const reload = (): Answer => {
    generation += 1;
    model.running = there();
    return { ok: true, generation, tookMs: 5 };
  };
  const apply = ({ from, to, changes }: Request): Answer => {
    const { running } = model;
    if (running !== from && running !== to) return { ok: false, stage: 'change', message: 'no', running };
    model.running = to;
    return { ok: true, generation, tookMs: 5, atRunTime: true, commands: changes.length };
  };
  const answer = (): Answer => {
    const line = scene.requests.at(-1) ?? '';
    return line.startsWith('apply ') ? apply(JSON.parse(line.slice('apply '.length))) : reload();
  };
  Object.defineProperty(scene.answers, 'reload', { configurable: true, get: answer });
  Object.defineProperty(scene.answers, 'status', {
    configurable: true,
    get: () => ({ ok: true, current: { revision: model.running } }),
  });
  return model;
}
