"use strict";
// Numbers and fitted texts, the same as amounts.py and fitting.py write them (a test compares).
function flameText(unit, noun) {
  const TIMES = { seconds: "s", milliseconds: "ms", microseconds: "µs", nanoseconds: "ns" };
  const SPANS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const WIDE = new RegExp(
    "[\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60" +
      "\\uffe0-\\uffe6\\u{1f300}-\\u{1faff}\\u{20000}-\\u{3fffd}]",
    "gu",
  );

  function figures(number) {
    const text = number.toFixed(number < 1 ? 2 : number < 100 ? 1 : 0);
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  }

  function span(seconds) {
    const parts = [];
    for (const [size, name] of SPANS) {
      const count = Math.floor(seconds / size);
      seconds -= count * size;
      if (count || parts.length) parts.push([count, name]);
    }
    const telling = parts.slice(0, 2).filter(([count]) => count);
    return telling.map((part) => part.join(" ")).join(" ") || "0 s";
  }

  function humanise(value) {
    if (unit === "seconds") return span(value);
    const bytes = unit === "bytes";
    const base = bytes ? 1024 : 1000;
    const names = bytes ? ["KiB", "MiB", "GiB", "TiB", "PiB"] : ["k", "M", "G", "T", "P"];
    let power = 0;
    while (power < names.length && value >= base ** (power + 1) * 0.9995) power += 1;
    if (!power) return bytes ? `${value} B` : String(value);
    return `${figures(value / base ** power)} ${names[power - 1]}`;
  }

  function amount(value) {
    const short = humanise(value);
    const exact = value.toLocaleString("en-US");
    const time = TIMES[unit];
    if (time) return short === `${exact} ${time}` ? short : `${short} (${exact} ${time})`;
    const counted = value === 1 ? noun.replace(/([^s])s$/, "$1") : noun;
    return short === exact ? `${short} ${counted}` : `${short} ${counted} (${exact})`;
  }

  function percent(part, whole) {
    if (!part || !whole) return "0 %";
    const share = (100 * part) / whole;
    return share < 0.01 ? "< 0.01 %" : `${figures(share)} %`;
  }

  function change(old, now) {
    if (old === now) return "same";
    if (!old || !now) return now ? "new" : "gone";
    const share = (100 * Math.abs(now - old)) / old;
    const sign = now > old ? "+" : "−";
    return share < 0.01 ? `${sign}< 0.01 %` : `${sign}${figures(share)} %`;
  }

  const cells = (text) => [...text].length + (text.match(WIDE) || []).length;

  function leading(letters, room) {
    let width = 0;
    let length = 0;
    while (length < letters.length && (width += cells(letters[length])) <= room) length += 1;
    return letters.slice(0, length);
  }

  function fitted(text, room) {
    if (cells(text) <= room) return text;
    if (room < 3) return "";
    const letters = [...text];
    if (room < 7) return `${leading(letters, room - 1).join("")}…`;
    const head = leading(letters, Math.floor(room / 2)).join("");
    const tail = leading(letters.reverse(), room - 1 - cells(head)).reverse().join("");
    return `${head}…${tail}`;
  }

  return { amount, cells, change, fitted, percent };
}
