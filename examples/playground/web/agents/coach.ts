import { coachFace as faceWith } from "@pawl/example-coach/web";
import { Choice, OPTIONS_TOOL } from "../thread/choice.tsx";
import { Markdown } from "../thread/markdown.tsx";
import type { Face } from "./face.ts";

const face = faceWith({ Markdown });

export const coachFace: Face = { ...face, parts: { ...face.parts, [OPTIONS_TOOL]: Choice } };
