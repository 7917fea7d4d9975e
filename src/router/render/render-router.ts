import { isDeepStrictEqual } from 'node:util';
import { isSameSet, type Rendered, type SetFile, setOfPieces } from '../../engine/config/set.ts';
import { createRenderThread, type RenderThread } from '../../engine/render/render-in-thread.ts';
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
import { createRouterPrinter, type PrintedRoute, type RouterPrinter, wholeJob } from './router-printer.ts';
import { serverIds } from './template-backend.ts';
import { noSizes, sizesOf } from './text-budget.ts';
import { unavailablePage } from './unavailable-page.ts';
import { type LeftOut, type Measured, printable, unprintable } from './unprintable.ts';

export interface RouterTemplate {
  readonly path: string;
  readonly text: string;
  /** The permissions of the files. */
  readonly mode: number;
  /** An administrator's own, which may be wrong in any way: it never ends, or prints without end. */
  readonly isCustom?: true;
}

export type RouterRendering =
  | { readonly kind: 'rendered'; readonly rendered: Rendered; readonly leftOut: readonly LeftOut[] }
  | { readonly kind: 'failed'; readonly message: string };

/** See `renderRouter`. */
type RouterRenderer = (
  template: RouterTemplate,
  model: RouterModel,
  defaultCertificate: string,
  given?: readonly SetFile[],
) => RouterRendering;

/**
 * haproxy.cfg and every file that it names. `defaultCertificate` is PEM, key and certificate; `given` are the administrator's files. Pure: equal models give equal
 * bytes. A route that cannot be printed is left out of all of them.
 */
export function renderRouter(
  template: RouterTemplate,
  settings: RouterSettings,
  model: RouterModel,
  defaultCertificate: string,
  given: readonly SetFile[] = [],
): RouterRendering {
  return createRouterRenderer(settings)(template, model, defaultCertificate, given);
}

/**
 * The same for one model after another: what was made for a route is used again while its backend in the model is the same object. It
 * says the same as `renderRouter` for each model, whatever came before.
 */
export function createRouterRenderer(settings: RouterSettings): RouterRenderer {
  const state = createState(settings);
  return (template, model, defaultCertificate, given) => {
    const now = state(template, model, defaultCertificate, given);
    return now.finish(now.printer.all(now.whole));
  };
}

/**
 * The same for any template: an administrator's own is rendered whole, in a thread with bounds of time and memory, so that whatever it does
 * keeps nobody waiting, and what is served stays.
 */
export function createTemplateRenderer(
  settings: RouterSettings,
  thread: RenderThread = createRenderThread(CUSTOM_LIMITS),
): (...args: Parameters<RouterRenderer>) => Promise<RouterRendering> {
  const state = createState(settings);
  return async (template, model, defaultCertificate, given) => {
    const now = state(template, model, defaultCertificate, given);
    return now.finish(
      template.isCustom === true
        ? await thread.render(wholeJob(template, settings, now.whole))
        : now.printer.all(now.whole),
    );
  };
}

/** Of 10,000 routes on a busy machine. */
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
  readonly template: RouterTemplate;
  readonly printer: RouterPrinter;
  readonly shared: DefaultCertificate;
  readonly cellsOf: (routes: readonly RouteBackend[]) => readonly Cell[];
}

const blank = { sizes: noSizes, printed: '', files: [], row: undefined, certificateLine: '', states: '' };

/** A route on which the router itself fails is left out, and costs no other one. */
function createTable(settings: RouterSettings, template: RouterTemplate, pem: string): Table {
  const printer = createRouterPrinter(template, settings);
  const shared = readDefaultCertificate(pem);
  const wholeCell = (route: RouteBackend): Cell => {
    const leftOut = unprintable(route);
    if (leftOut !== undefined) return { ...blank, route, leftOut };
    if (settings.lookup === 'regex') regexMapFiles([route], settings);
    return {
      ...{ route, sizes: sizesOf(route), printed: printer.route(route), files: filesOfRoute(route) },
      row: settings.lookup === 'hash' ? mapRow(route) : undefined,
      certificateLine: certificateLine(route, !settings.disableHttp2, shared),
      states: serverStates(route),
    };
  };
  const cellOf = (route: RouteBackend): Cell => {
    try {
      return wholeCell(route);
    } catch (error) {
      const leftOut = { key: route.key, problem: messageOf(error), isThrown: true } as const;
      return { ...blank, route, leftOut };
    }
  };
  return { template, printer, shared, cellsOf: eachOncePer(cellOf) };
}

/** What the renderings of one router share: the table of cells, the maps, and the last configuration. */
function createState(settings: RouterSettings) {
  const mapsOf = createMaps(settings);
  const kept = new Map<string, SetFile>();
  let table: Table | undefined;
  let last: Rendered | undefined;
  /** The last configuration's object if the content is equal: its hash is cached. */
  const same = (file: SetFile): SetFile => {
    const before = kept.get(file.name);
    if (before?.content === file.content) return before;
    kept.set(file.name, file);
    return file;
  };
  const tableFor = (template: RouterTemplate, pem: string): Table => {
    const { text, path, isCustom } = table?.template ?? {};
    const isSame = text === template.text && path === template.path && isCustom === template.isCustom;
    if (table === undefined || !isSame || table.shared.pem !== pem)
      table = createTable(settings, template, pem);
    return table;
  };
  return (...[template, model, pem, given = []]: Parameters<RouterRenderer>) => {
    const { printer, shared, cellsOf } = tableFor(template, pem);
    const givenBytes = given.reduce((sum, { content }) => sum + content.length, 0);
    const { whole, leftOut } = printable(cellsOf(model.backends), givenBytes);
    const others = (): readonly SetFile[] => [
      ...mapsOf(whole).map(same),
      ...certificateLists(whole, shared, settings.strictSni).map(same),
      ...filesIn(whole),
      same(serverStatesFile(whole)),
      same({ name: DEFAULT_CERTIFICATE_FILE, content: pem, secret: true }),
      ...(settings.errorFile503 === undefined ? [unavailablePage] : []),
      ...given,
    ];
    return {
      printer,
      whole,
      finish: (print: ReturnType<RouterPrinter['all']>): RouterRendering => {
        if (print.kind === 'failed') return print;
        const rest = { mode: template.mode, others: others() };
        const now = print.kind === 'pieces' ? setOfPieces(print.pieces, rest) : { ...rest, text: print.text };
        // The hash of a set is remembered by its object.
        if (last === undefined || hasPieces(last) !== hasPieces(now) || !isSameSet(last, now)) last = now;
        return { kind: 'rendered', rendered: last, leftOut };
      },
    };
  };
}

/** Most routes have none. */
function filesIn(cells: readonly Cell[]): readonly SetFile[] {
  const files: SetFile[] = [];
  for (const cell of cells) for (const file of cell.files) files.push(file);
  return files;
}

const hasPieces = ({ pieces }: Rendered): boolean => pieces !== undefined;

/** Hash maps are made again only if a row differs. Most changes are endpoints, which no map has. */
function createMaps(settings: RouterSettings): (cells: readonly Cell[]) => readonly SetFile[] {
  let last: { readonly cells: readonly Cell[]; readonly files: readonly SetFile[] } | undefined;
  return (cells) => {
    if (settings.lookup === 'regex')
      return regexMapFiles(
        cells.map(({ route }) => route),
        settings,
      );
    const isSame = (cell: Cell, index: number): boolean => {
      const before = last?.cells[index];
      return cell === before || (before !== undefined && isDeepStrictEqual(cell.row, before.row));
    };
    const isAsBefore = cells.length === last?.cells.length && cells.every(isSame);
    last = {
      cells,
      files: last !== undefined && isAsBefore ? last.files : hashMapFiles(cells.map(({ row }) => row)),
    };
    return last.files;
  };
}

/**
 * The servers that are alone, by the lines of their routes. HAProxy starts with them up and with their checks off: that is the only method
 * to start with checks that can be turned on later. The main file names these servers as well (`CHECKS_OFF`).
 */
function serverStatesFile(routes: readonly { readonly states: string }[]): SetFile {
  const lines = routes.map(({ states }) => states).filter((states) => states !== '');
  return { name: SERVER_STATES_FILE, content: stateFile(lines) };
}

/** The lines of one route, '' if none of its servers is alone. */
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
