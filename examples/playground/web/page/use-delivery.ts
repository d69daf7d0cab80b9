import type { AgentFailure } from "@pawl/client";
import type { UseAgent } from "@pawl/client/react";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { SendingFiles } from "../files/sending-files.ts";
import type { Picked, Tray } from "../files/use-tray.ts";

/** Sends messages with their files. */
export interface Delivery {
  tray: Tray;
  /** The conversation, without a failure that is shown beside its file. */
  agent: UseAgent;
  /** The files of the message that is being sent. */
  sending: SendingFiles | undefined;
  /** Sends a message; with the files of the tray, if `withFiles`. */
  send(text: string, withFiles: boolean): void;
  /** Stops the upload, or the run. */
  stop(): void;
  /** Removes files from the tray whose message arrived although its request failed. */
  hasArrived(): void;
}

/** A message with files that was not sent. */
interface Unsent {
  text: string;
  files: readonly Picked[];
  uploaded: number;
}

/** Codes of failures that are due to one file. Another attempt with this file would fail, too. */
const OF_A_FILE: ReadonlySet<string> = new Set(["invalid_input", "too_large"]);

/**
 * Sends messages with their files. If a message is not sent, its text and its files come back; the file that
 * the server has refused comes back as a note.
 */
export function useDelivery(
  agent: UseAgent,
  tray: Tray,
  setText: (change: (written: string) => string) => void,
): Delivery {
  const [sending, setSending] = useState<{ files: readonly Picked[]; uploaded: number }>();
  const [unsent, setUnsent] = useState<Unsent>();
  const [shown, setShown] = useState<AgentFailure>();
  const returned = useRef<readonly Picked[]>([]);
  const upload = useRef<AbortController>(undefined);
  const { error } = agent;
  const { release, putBack, remove, take } = tray;

  const deliver = async (text: string, files: readonly Picked[]): Promise<void> => {
    const control = new AbortController();
    upload.current = control;
    let uploaded = 0;
    setSending({ files, uploaded });
    const isSent = await agent.send(text, {
      files: files.map(({ file }) => file),
      signal: control.signal,
      onProgress: () => {
        uploaded += 1;
        setSending({ files, uploaded });
      },
    });
    upload.current = undefined;
    setSending(undefined);
    if (!isSent) setUnsent({ text, files, uploaded });
  };

  // Runs when the failure of the message is known, and before the page shows it.
  useLayoutEffect(() => {
    if (unsent === undefined) return;
    const { text, files, uploaded } = unsent;
    setUnsent(undefined);
    // The user has left the conversation after its message was posted: it may have arrived.
    if (error === undefined && uploaded === files.length) return;
    const bad = files[uploaded];
    const isOfFile = error !== undefined && bad !== undefined && OF_A_FILE.has(error.code);
    putBack(files, isOfFile ? { key: bad.key, why: error.message } : undefined);
    returned.current = files;
    setText((written) => (written === "" ? text : written));
    if (isOfFile) setShown(error);
  }, [unsent, error, putBack, setText]);

  const hasArrived = useCallback(() => {
    for (const { key } of returned.current) remove(key);
    returned.current = [];
  }, [remove]);
  const isShown = error !== undefined && error === shown;
  return {
    tray,
    agent: useMemo(() => (isShown ? { ...agent, error: undefined } : agent), [agent, isShown]),
    sending: useMemo(() => sending && { ...sending, release }, [sending, release]),
    send: (text, withFiles) => {
      const files = withFiles ? take() : [];
      returned.current = [];
      if (files.length === 0) void agent.send(text);
      else void deliver(text, files);
    },
    stop: () => {
      const { current } = upload;
      // Once everything is uploaded, the message is on its way, and only its run can be stopped.
      if (current === undefined || sending === undefined || sending.uploaded === sending.files.length)
        void agent.stop();
      else current.abort();
    },
    hasArrived,
  };
}
