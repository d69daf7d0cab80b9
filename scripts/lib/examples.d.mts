import type ts from "typescript";
import type { Finding } from "./arrows.d.mts";

export function findWithoutExample(program: ts.Program, doors: readonly string[]): Finding[];
