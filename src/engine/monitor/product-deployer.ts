import type { ConfigurationCheck } from '../config/check.ts';
import type { Policy, Report } from '../config/deploy-state.ts';
import { createDeployer, type Deployer } from '../config/deployer.ts';
import { connectProxy, type ProxyClient } from '../config/proxy.ts';
import { createStore } from '../config/store.ts';
import { createChangeRecord } from './change-record.ts';
import type { Origin } from './last-change.ts';
import { logForeignFile, logOutcome } from './log-outcome.ts';
import type { Observers } from './observers.ts';

interface DeployedProduct<T> extends Pick<Partial<Policy>, 'compare' | 'reloadEveryMs'> {
  readonly config: string;
  /** Path of the supervisor's control socket. */
  readonly socket: string;
  /** Used instead of the supervisor behind `socket`. */
  readonly proxy?: ProxyClient | undefined;
  readonly reloadTimeoutMs?: number;
  readonly check: ConfigurationCheck;
  /** When a file is validated; before it is written by default. */
  readonly checks?: Policy['check'];
  readonly isSuperseded?: () => boolean;
  readonly onReload?: () => void;
  /** Inputs of a configuration. A changed input is the cause of the next outcome. */
  readonly origin: (version: Report<T>['version']) => Origin;
  /**
   * Called with each outcome before it is logged. Returns additional facts for the log. `cause` is undefined for a validation that changes nothing.
   */
  readonly observe: (report: Report<T>, cause: string | undefined, tookMs: number) => object | undefined;
  /** Called after logging. The next configuration waits until it resolves. */
  readonly after?: (report: Report<T>) => Promise<void>;
  readonly now: () => number;
}

interface ProductDeployer<T> extends Deployer<T> {
  /** The last outcome, for the monitor's status. */
  readonly view: ReturnType<typeof createChangeRecord>['view'];
}

/** A deployer for one product's file that records and logs changes. By default every change is validated before it is written, and needs a reload. */
export function deployerOf<T>(product: DeployedProduct<T>, observers: Observers): ProductDeployer<T> {
  const { config: configPath, socket: socketPath, reloadTimeoutMs, check, compare } = product;
  const { isSuperseded, onReload } = product;
  const changes = createChangeRecord();
  const isChangeable = product.proxy?.makesChanges !== false;
  const connected = { socketPath, ...(reloadTimeoutMs !== undefined && { reloadTimeoutMs }) };
  const deployer = createDeployer<T>({
    configPath,
    check,
    ...(isSuperseded && { isSuperseded }),
    ...(onReload && { onReload }),
    store: createStore({ configPath, onForeign: logForeignFile(observers) }),
    proxy: product.proxy ?? connectProxy(connected),
    policy: {
      check: isChangeable ? (product.checks ?? 'before-write') : 'before-write',
      reloadEveryMs: product.reloadEveryMs ?? 0,
      compare: isChangeable ? compare : undefined,
    },
    observe: async (report, startMs) => {
      const { outcome, version } = report;
      const isQuiet = report.isCheck === true && outcome.kind === 'unchanged';
      const cause = isQuiet ? undefined : changes.note(product.origin(version), outcome);
      const facts = product.observe(report, cause, product.now() - startMs);
      if (cause !== undefined) logOutcome(outcome, { cause, ...facts }, observers);
      await product.after?.(report);
    },
  });
  return { ...deployer, view: changes.view };
}
