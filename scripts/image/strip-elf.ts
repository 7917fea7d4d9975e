import { readFileSync, truncateSync, writeFileSync } from 'node:fs';

/**
 * Removes the parts of a 64-bit ELF program that are not loaded at runtime: symbols, debug information and the section
 * table, a seventh of Node. `strip` would need a package and only handles its own architecture.
 */
export function stripElf(path: string): void {
  const bytes = readFileSync(path);
  const is64BitLittleEndian = bytes.subarray(0, 6).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]));
  if (!is64BitLittleEndian)
    throw new Error(`Cannot strip "${path}": it is no program of 64 bits, expected one`);
  const at = Number(bytes.readBigUInt64LE(PROGRAM_HEADERS));
  const size = bytes.readUInt16LE(PROGRAM_HEADER_SIZE);
  const ends = Array.from({ length: bytes.readUInt16LE(PROGRAM_HEADER_COUNT) }, (_, index) => {
    const header = at + index * size;
    return Number(bytes.readBigUInt64LE(header + 0x08) + bytes.readBigUInt64LE(header + 0x20));
  });
  bytes.fill(0, SECTION_HEADERS, SECTION_HEADERS + 8);
  bytes.fill(0, SECTION_HEADER_COUNT, SECTION_HEADER_COUNT + 4);
  writeFileSync(path, bytes);
  truncateSync(path, Math.max(...ends));
}

/** Offsets in the header, from elf(5). */
const PROGRAM_HEADERS = 0x20;
const SECTION_HEADERS = 0x28;
const PROGRAM_HEADER_SIZE = 0x36;
const PROGRAM_HEADER_COUNT = 0x38;
const SECTION_HEADER_COUNT = 0x3c;
