import type { Application, ProjectReflection } from "typedoc";
import type { Door } from "../doors.d.mts";

export function shapeSite(app: Application, doors: readonly Door[]): void;
export function leadOutside(project: ProjectReflection): void;
export function leadToNames(project: ProjectReflection): void;
