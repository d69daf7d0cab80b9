import { Choice, OPTIONS_TOOL } from "../thread/choice.tsx";
import type { Face } from "./face.ts";

export const coachFace: Face = {
  name: "coach",
  title: "Coach",
  voice: "Sage",
  welcome: {
    words:
      "Sage is a coach for the day ahead. Say hello, or begin with what is on your mind. The Log button shows what happens underneath: every message, call and result, written down before it counts.",
    starters: [
      "Good morning",
      "Help me plan today: write, call Mum, go for a run",
      "I can't stop thinking about work",
    ],
  },
  toolNames: { save_file: "Save a file", show_options: "Ask", complete_session: "Complete the session" },
  parts: { [OPTIONS_TOOL]: Choice },
};
