import * as z from 'zod/mini';

/** JSON Schema of a value in the settings file. */
export type FileForm = Readonly<Record<string, unknown>>;

/** Of field parsers whose form in a file is not the text that a flag has: numbers and lists. */
export const fileForms = z.registry<FileForm>();
