import { useMemo, useRef, useState } from "react";
import type { Checked } from "./check-file.ts";
import { useObjectUrls } from "./object-urls.ts";

/** A file of the message that is being written. */
export interface Picked {
  key: string;
  file: File;
  /** A picture, by an object URL, with its size in pixels. */
  picture?: { url: string; width: number; height: number };
}

/** A file that cannot be sent, and why. */
export interface RefusedFile {
  key: string;
  name: string;
  why: string;
}

/** The files of the message that is being written. */
export interface Tray {
  files: readonly Picked[];
  refused: readonly RefusedFile[];
  /** Whether files are being checked. They belong to the message, so it cannot be sent yet. */
  checking: boolean;
  add(files: readonly File[]): void;
  /** Removes a file, or the note on one that was refused. */
  remove(key: string): void;
  /** Returns the files for sending, and empties the tray. */
  take(): readonly Picked[];
  /** Puts unsent files back into the tray. `refused` is the one that the server has refused, if any. */
  putBack(files: readonly Picked[], refused?: { key: string; why: string }): void;
  /** Releases the memory of a picture that was sent. */
  release(picked: Picked): void;
}

/** The most files of a message, and their most bytes in all, as on the server. */
const MOST = { files: 20, bytes: 20_000_000 } as const;

type Content = Pick<Tray, "files" | "refused">;

/** Keeps the files of the message that is being written. */
export function useTray(): Tray {
  const [content, setContent] = useState<Content>({ files: [], refused: [] });
  const [checks, setChecks] = useState(0);
  const latest = useRef(content);
  const urls = useObjectUrls();
  const actions = useMemo(() => {
    const change = (to: Partial<Content>) => {
      latest.current = { ...latest.current, ...to };
      setContent(latest.current);
    };
    const refuse = (one: RefusedFile) => change({ refused: [...latest.current.refused, one] });
    const addOne = async (file: File) => {
      const { problem, picture } = await checked(file);
      const key = crypto.randomUUID();
      const { files } = latest.current;
      const why = problem ?? tooMuch(files, file);
      if (why !== undefined) return refuse({ key, name: file.name, why });
      const shown = picture && { picture: { url: urls.make(file), ...picture } };
      change({ files: [...files, { key, file, ...shown }] });
    };
    const release = ({ picture }: Picked) => urls.revoke(picture?.url);
    return {
      add: async (files: readonly File[]) => {
        setChecks((count) => count + 1);
        try {
          for (const file of files) await addOne(file);
        } finally {
          setChecks((count) => count - 1);
        }
      },
      remove: (key: string) => {
        const { files, refused } = latest.current;
        for (const one of files) if (one.key === key) release(one);
        change({
          files: files.filter((one) => one.key !== key),
          refused: refused.filter((one) => one.key !== key),
        });
      },
      take: () => {
        const { files } = latest.current;
        change({ files: [], refused: [] });
        return files;
      },
      putBack: (files: readonly Picked[], bad?: { key: string; why: string }) => {
        change({ files: [...files.filter(({ key }) => key !== bad?.key), ...latest.current.files] });
        const file = files.find(({ key }) => key === bad?.key);
        if (file === undefined || bad === undefined) return;
        release(file);
        refuse({ ...bad, name: file.file.name });
      },
      release,
    };
  }, [urls]);
  return useMemo(() => ({ ...content, checking: checks > 0, ...actions }), [content, checks, actions]);
}

/** Checks a file. If that fails, e.g. because its code cannot be loaded, the server alone checks it. */
async function checked(file: File): Promise<Checked> {
  try {
    const { checkFile } = await import("./check-file.ts");
    return await checkFile(file);
  } catch {
    return {};
  }
}

function tooMuch(files: readonly Picked[], { size }: File): string | undefined {
  const bytes = files.reduce((sum, { file }) => sum + file.size, size);
  if (files.length >= MOST.files) return `A message may have at most ${MOST.files} files.`;
  return bytes > MOST.bytes
    ? `The files of a message may have at most ${MOST.bytes / 1_000_000} MB in all.`
    : undefined;
}
