import { isDeepStrictEqual } from 'node:util';
import { isSameSet, type Rendered, type SetFile, setOfPieces } from '../../engine/config/set.ts';
import { createRenderThread, type RenderThread } from '../../engine/render/render-in-thread.ts';
import type { RenderOutcome } from '../../engine/render/render-template.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { eachOncePer } from '../../engine/system/once-per.ts';
import { pausedRow, stateFile } from '../../haproxy/text/servers-state.ts';
import type { RouteBackend, RouterModel } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { DEFAULT_CERTIFICATE_FILE, SERVER_STATES_FILE } from './file-names.ts';
import { hashMapFiles, type MapRow, mapRow } from './hash-maps.ts';
import { regexMapFiles } from './regex-maps.ts';
import {
  certificateLine,
  certificateLists,
  type DefaultCertificate,
  filesOfRoute,
  readDefaultCertificate,
} from './route-files.ts';
import {
  createRouterPrinter,
  type PrintedRoute,
  type RouterPrint,
  type RouterPrinter,
} from './router-printer.ts';
import { serverIds } from './template-backend.ts';
import { noSizes, sizesOf } from './text-budget.ts';
import { unavailablePage } from './unavailable-page.ts';
import { type LeftOut, type Measured, printable, unprintable } from './unprintable.ts';

export interface RouterTemplate {
  readonly path: string;
  readonly text: string;
  /** Permissions of the rendered files. */
  readonly mode: number;
  /** An administrator's own template. It may be wrong in any way, such as never ending or printing endlessly. */
  readonly isCustom?: true;
}

export type RouterRendering =
  | { readonly kind: 'rendered'; readonly rendered: Rendered; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'failed'; readonly message: string };

/** `defaultCertificate` is PEM with key and certificate; `given` are the administrator's files. */
type Input = readonly [
  template: RouterTemplate,
  model: RouterModel,
  defaultCertificate: string,
  given?: readonly SetFile[],
];

/** Prints the main file, then builds a set from it. */
interface Rendering {
  readonly print: RouterPrint;
  readonly finish: (print: Exclude<RouterPrint, { kind: 'job' }> | RenderOutcome) => RouterRendering;
}

/**
 * Renders haproxy.cfg and all files that it refers to, for successive models. Equal models produce equal bytes, whatever came before. A route that
 * cannot be printed is left out of all files. A custom template is rendered in a thread with limits of time and memory, so that it cannot delay
 * anything else or harm the running configuration.
 */
export function createTemplateRenderer(
  settings: RouterSettings,
  thread: RenderThread = createRenderThread(CUSTOM_LIMITS),
): (...input: Input) => Promise<RouterRendering> {
  const prepare = createRendering(settings);
  return async (...input) => {
    const { print, finish } = prepare(...input);
    return finish(print.kind === 'job' ? await thread.render(print.job) : print);
  };
}

/** Enough for 10,000 routes on a busy machine. */
export const CUSTOM_LIMITS = { timeoutMs: 10_000, memoryMb: 256 };

/** Everything rendered for one route, with one template and one default certificate. */
interface Cell extends Measured {
  readonly printed: PrintedRoute;
  readonly files: readonly SetFile[];
  readonly row: MapRow | undefined;
  readonly certificateLine: string;
  readonly states: string;
}

interface Table {
  readonly templateText: string;
  readonly printer: RouterPrinter;
  readonly shared: DefaultCertificate;
  readonly cellsOf: (routes: readonly RouteBackend[]) => readonly Cell[];
}

const blank = { sizes: noSizes, printed: '', files: [], row: undefined, certificateLine: '', states: '' };

/** A route on which the router itself fails is left out, without affecting others. */
function createTable(settings: RouterSettings, template: RouterTemplate, pem: string): Table {
  const printer = createRouterPrinter(template, settings);
  const shared = readDefaultCertificate(pem);
  const printableCell = (route: RouteBackend): Cell => {
    const leftOut = unprintable(route);
    if (leftOut !== undefined) return { ...blank, route, leftOut };
    if (settings.lookup === 'regex') regexMapFiles([route], settings);
    return {
      route,
      sizes: sizesOf(route),
      printed: printer.route(route),
      files: filesOfRoute(route),
      row: settings.lookup === 'hash' ? mapRow(route) : undefined,
      certificateLine: certificateLine(route, !settings.disableHttp2, shared),
      states: serverStates(route),
    };
  };
  const cellOf = (route: RouteBackend): Cell => {
    try {
      return printableCell(route);
    } catch (error) {
      const leftOut = { key: route.key, problem: messageOf(error), isException: true } as const;
      return { ...blank, route, leftOut };
    }
  };
  return { templateText: template.text, printer, shared, cellsOf: eachOncePer(cellOf) };
}

/**
 * Prepares successive renderings. The results for a route are reused while its backend in the model is the reused object. The renderings of one
 * router share the cells, the maps and the last configuration.
 */
export function createRendering(settings: RouterSettings): (...input: Input) => Rendering {
  const mapsOf = createMaps(settings);
  const cache = new Map<string, SetFile>();
  let table: Table | undefined;
  let last: Rendered | undefined;
  /** Returns the previous object if the content is equal, since its hash is cached. */
  const reused = (file: SetFile): SetFile => {
    const before = cache.get(file.name);
    if (before?.content === file.content) return before;
    cache.set(file.name, file);
    return file;
  };
  const tableFor = (template: RouterTemplate, pem: string): Table => {
    if (table?.templateText !== template.text || table.shared.pem !== pem)
      table = createTable(settings, template, pem);
    return table;
  };
  return (template, model, pem, given = []) => {
    const { printer, shared, cellsOf } = tableFor(template, pem);
    const givenBytes = given.reduce((sum, { content }) => sum + content.length, 0);
    const { included, leftOut } = printable(cellsOf(model.backends), givenBytes);
    const others = (): readonly SetFile[] => [
      ...mapsOf(included).map(reused),
      ...certificateLists(included, shared, settings.strictSni).map(reused),
      ...included.flatMap(({ files }) => files),
      reused(serverStatesFile(included)),
      reused({ name: DEFAULT_CERTIFICATE_FILE, content: pem, secret: true }),
      ...(settings.errorFile503 === undefined ? [unavailablePage] : []),
      ...given,
    ];
    return {
      print: printer.all(included),
      finish: (print) => {
        if (print.kind === 'failed') return print;
        const rest = { mode: template.mode, others: others() };
        const now = print.kind === 'pieces' ? setOfPieces(print.pieces, rest) : { ...rest, text: print.text };
        // The hash of a set is cached with its object.
        if (last === undefined || !isSameSet(last, now)) last = now;
        return { kind: 'rendered', rendered: last, leftOut };
      },
    };
  };
}

/** Rebuilds hash maps only if a row differs. Most changes concern endpoints, which are in no map. */
function createMaps(settings: RouterSettings): (cells: readonly Cell[]) => readonly SetFile[] {
  if (settings.lookup === 'regex')
    return (cells) => {
      const routes = cells.map(({ route }) => route);
      return regexMapFiles(routes, settings);
    };
  let rows: readonly Cell['row'][] = [];
  let files: readonly SetFile[] = hashMapFiles([]);
  return (cells) => {
    const before = rows;
    rows = cells.map(({ row }) => row);
    const isSame = (row: Cell['row'], index: number): boolean =>
      row === before[index] || isDeepStrictEqual(row, before[index]);
    if (rows.length !== before.length || !rows.every(isSame)) files = hashMapFiles(rows);
    return files;
  };
}

/**
 * The state file with the only servers of their backends. HAProxy starts these servers up with their checks off: no other method allows it to
 * enable checks later. The main file marks these servers as well (`CHECKS_OFF`).
 */
function serverStatesFile(routes: readonly { readonly states: string }[]): SetFile {
  const lines = routes.map(({ states }) => states).filter((states) => states !== '');
  return { name: SERVER_STATES_FILE, content: stateFile(lines) };
}

/** A route's lines of the state file; '' if none of its servers is the only one. */
export function serverStates({ name: backend, kind, servers }: RouteBackend): string {
  if (!servers.some(({ isAlone }) => isAlone === true)) return '';
  const ids = serverIds(servers);
  const usesTls = kind === 'reencrypt';
  return servers
    .map(({ name, port, weight, isAlone }, index) =>
      isAlone === true ? pausedRow({ backend, id: ids[index] ?? 0, name, port, weight, usesTls }) : '',
    )
    .join('');
}
