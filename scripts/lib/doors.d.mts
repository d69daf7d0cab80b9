export interface Door {
  name: string;
  folder: string;
  file: string;
}

export function packageDoors(): Door[];
export function doorsOf(
  manifest: { name: string; exports: Readonly<Record<string, unknown>> },
  folder: string,
): Door[];
