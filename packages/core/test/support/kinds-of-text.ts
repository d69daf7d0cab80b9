/** Eight kinds of text whose tokens have different lengths. */
export const kindsOfText = [
  "English",
  "German",
  "Chinese",
  "Japanese",
  "Arabic",
  "code",
  "base64",
  "emoji",
] as const;

export type KindOfText = (typeof kindsOfText)[number];

/** Pieces of text, which a text of the kind repeats in a random order. */
const pieces: Record<Exclude<KindOfText, "base64" | "emoji">, readonly string[]> = {
  English: [
    "The train to the coast leaves at nine, so we should have breakfast before that. ",
    "She asked whether the results of the survey had been published yet. ",
    "Nobody expected the old bridge to survive another winter, but it did. ",
    "Please send me the invoice for March, and tell me which account it was paid from. ",
  ],
  German: [
    "Der Zug an die Küste fährt um neun, deshalb frühstücken wir vorher. ",
    "Sie fragte, ob die Ergebnisse der Umfrage schon veröffentlicht worden seien. ",
    "Niemand erwartete, dass die alte Brücke noch einen Winter übersteht. ",
    "Bitte schicken Sie mir die Rechnung für März und nennen Sie das Konto. ",
  ],
  Chinese: [
    "去海边的火车九点出发,所以我们应该在那之前吃早饭。",
    "她问调查的结果是否已经公布了。",
    "没有人想到那座旧桥能再撑过一个冬天。",
    "请把三月份的发票寄给我,并告诉我是从哪个账户付的。",
  ],
  Japanese: [
    "海岸行きの列車は九時に出るので、その前に朝食をとりましょう。",
    "彼女は調査の結果がもう発表されたかどうかを尋ねた。",
    "古い橋がもう一度冬を越すとは誰も思っていなかった。",
    "三月の請求書を送って、どの口座から支払われたか教えてください。",
  ],
  Arabic: [
    "يغادر القطار إلى الساحل في التاسعة، لذا يجب أن نتناول الفطور قبل ذلك. ",
    "سألت عما إذا كانت نتائج الاستطلاع قد نشرت بعد. ",
    "لم يتوقع أحد أن يصمد الجسر القديم شتاء آخر. ",
    "أرسل لي فاتورة شهر مارس وأخبرني من أي حساب دفعت. ",
  ],
  code: [
    "export function sum(values: readonly number[]): number {\n  return values.reduce((total, value) => total + value, 0);\n}\n",
    'const { data, error } = await client.from("orders").select("id, total").eq("user_id", userId);\n',
    "if (error !== undefined) throw new TypeError('The order cannot be read: ' + error.message);\n",
    "for (const [index, row] of rows.entries()) {\n  if (index % 2 === 0) result.push({ ...row, even: true });\n}\n",
  ],
};

const EMOJI = ["😀", "🚆", "🏖️", "👩‍🔬", "🧾", "❄️", "🌉", "🍳", "🇯🇵", "👍🏽"];

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Returns a text of this kind with at least this many characters; the same text for the same seed. */
export function textOfKind(kind: KindOfText, chars: number, seed: number): string {
  let state = seed * 2_654_435_761 + 1;
  const pick = <T>(list: ArrayLike<T>): T => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return list[Math.floor((state / 4_294_967_296) * list.length)] as T;
  };
  const from = kind === "base64" ? BASE64 : kind === "emoji" ? EMOJI : pieces[kind];
  let text = "";
  while (text.length < chars) text += pick(from);
  return text;
}
