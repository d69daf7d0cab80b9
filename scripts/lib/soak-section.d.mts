import type { Soaks } from "./soaks.d.mts";

export function sectionsOf(report: string): Map<string, string>;

export function withSection(report: string, name: string, section: string): string;

export interface SoakResult {
  passed: number;
  failed: number;
  skipped: number;
  report?: {
    testResults: { assertionResults: { fullName: string; status: string; duration?: number }[] }[];
  };
}

export function soakSection(
  name: string,
  result: SoakResult,
  run: { code: string | undefined; machine: string; notes: string[] },
  soaks?: Soaks,
): string;

export function hasFailed(section: string): boolean;

export function commitOf(section: string): string | undefined;

export function hadChanges(section: string): boolean;

export function pathsLine(paths: readonly string[]): string;
