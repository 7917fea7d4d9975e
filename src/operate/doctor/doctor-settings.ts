import * as z from 'zod/mini';
import { commandSpec, type Flag, flag, jsonFlag, type SettingsOf } from '../../cli/command-spec.ts';
import { absolutePath, durationMs, listOf } from '../../cli/fields.ts';
import {
  apiPort,
  apiVips,
  ingressVips,
  nodeName,
  root,
  servers,
  source,
  worker,
} from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';

/** Flags whose names and types only their products know. */
type ProductFlags = Readonly<Record<never, Flag>>;

/** `checkIds` are all that `--only` may name; `productFlags` say what the products have to know. */
export const doctorCommand = (checkIds: readonly string[], productFlags: ProductFlags) =>
  commandSpec({
    name: 'doctor',
    summary:
      'Looks at this node: what is wrong or would be, why it matters, and what to type. Changes nothing that lasts.',
    // What only one pod has, a product's flag names with its section.
    section: 'top',
    flags: {
      apiVips: { ...apiVips, help: 'virtual IPs of the API (default: what keepalived.conf has)' },
      ingressVips,
      kubeconfig: flag(
        '<path>',
        z.optional(absolutePath),
        "as for the monitors (default: the monitor's own, else /etc/hawser/kubeconfig, else the kubelet's)",
        { inFile: 'top' },
      ),
      nodeName,
      source,
      servers: { ...servers, help: 'HOST=IP[:PORT],… the nodes, where the API cannot be asked' },
      apiPort,
      worker,
      ...productFlags,
      manifests: flag('<path>', absolutePath, "the kubelet's static pods", {
        default: '/etc/kubernetes/manifests',
        inFile: 'never',
      }),
      root,
      only: flag(
        '<ids>',
        z.optional(listOf(z.string(), 'expected a check')),
        'only these checks, separated by commas',
        {
          inFile: 'never',
          choices: checkIds,
        },
      ),
      timeout: flag(
        '<duration>',
        durationMs,
        'time limit of each check, in addition to listening; all run at once',
        { default: '2s', inFile: 'never' },
      ),
      json: jsonFlag('print JSON, as schemas/doctor.schema.json describes it'),
    },
    examples: [
      ['hawser doctor --api-vips 192.0.2.100', 'before hawser is installed: would it work here?'],
      ['hawser doctor', 'on a node that runs it: is everything in place?'],
      ['hawser doctor --only vip-holder,vrrp-adverts', 'two questions'],
      ['hawser doctor --only foreign-router-id --virtual-router-ids 91,92', 'are these free on the segment?'],
      ['hawser doctor --json | jq \'.checks[] | select(.verdict == "fail")\''],
    ],
    notes: [
      'It works with any process of hawser dead. If it cannot check something, it says so: without root, or in a container without the files of the node. docs/doctor.md lists the checks.',
      'Exit codes: 0 healthy, warnings included; 1 a check failed; 2 no failures, but some checks could not run ("cannot tell"), or usage.',
    ],
    derive: (settings) => {
      const strangers = (settings.only ?? []).filter((id) => !checkIds.includes(id));
      if (strangers.length > 0)
        throw new ConfigError(
          strangers.map(
            (id) => `Cannot use --only "${id}": there is no such check, expected ${checkIds.join(', ')}`,
          ),
        );
      return settings;
    },
  });

export type DoctorCommandSettings = SettingsOf<ReturnType<typeof doctorCommand>>;
