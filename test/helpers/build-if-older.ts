/** A program: builds `dist/` unless it is as new as its sources. Run by `ensureBuilt`, one at a time. */
import { isBuilt } from './supervisor-build.ts';

if (!isBuilt()) await import('../../scripts/build.ts');
