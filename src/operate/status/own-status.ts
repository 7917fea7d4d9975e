import { settingsTyped } from '../../cli/command-line.ts';
import type { CommandContext } from '../../cli/run-command.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import { collectNodeStatus } from './collect-node-status.ts';
import { findAndInstalled } from './find-and-installed.ts';
import type { NodeStatus } from './node-status.ts';
import type { ProductStatus } from './product-status.ts';
import { statusCommand } from './status-settings.ts';

/** What the monitor that publishes this node's status knows of it. */
interface Publisher {
  /** Its own name among the programs. */
  readonly program: string;
  /** The settings file that it was given. */
  readonly settings?: string | undefined;
  readonly listen: PageAddress | undefined;
  readonly nodeName: string;
}

/**
 * Collects what this node publishes, products of nodes alone, from where `hawser status` would ask with the same settings file and environment.
 * Throws a ConfigError as `hawser status` does.
 */
export function ownStatus(
  { program, settings: path, listen, nodeName }: Publisher,
  { env, readSettings }: Pick<CommandContext, 'env' | 'readSettings'>,
  all: readonly ProductStatus[],
): (signal: AbortSignal) => Promise<NodeStatus> {
  const products = all.filter(({ home }) => home.kind === 'node');
  const typed = path === undefined ? [] : ['--settings', path];
  const places = settingsTyped(statusCommand(products), typed, env, readSettings);
  const endpoints = {
    node: nodeName,
    pages: { ...places.pages, [program]: listen },
    ...{ statPort: places.statPort, instances: findAndInstalled, isInstalled: true },
  };
  return (signal) => collectNodeStatus(endpoints, products, signal);
}
