import { trainerFace as faceWith } from "@pawl/example-trainer/web";
import { Markdown } from "../thread/markdown.tsx";
import type { Face } from "./face.ts";

export const trainerFace: Face = faceWith({ Markdown });
