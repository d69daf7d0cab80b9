import type { Program } from "typescript";
import type { Finding } from "./arrows.d.mts";

export function findForeignNames(program: Program, isOurs: (file: string) => boolean): Finding[];
