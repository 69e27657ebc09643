import { describe, expect, test } from "vitest";
import { decodeText } from "./decode-text.ts";

const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf8 = (text: string) => new TextEncoder().encode(text);

describe("decodeText", () => {
  test.each([
    ["UTF-8 by default", utf8("größe €"), null, "größe €"],
    ["windows-1252 where it cannot be UTF-8", latin1("gr\xf6\xdfe \x80"), null, "größe €"],
    ["the header's charset", latin1("\xcf\xf0\xe8\xe2\xe5\xf2"), "text/html; charset=windows-1251", "Привет"],
    ["a quoted charset", latin1("gr\xf6\xdfe"), 'text/html; charset="ISO-8859-1"', "größe"],
    ["Shift_JIS", Uint8Array.of(0x93, 0xfa, 0x96, 0x7b), "text/html;charset=Shift_JIS", "日本"],
    ["GB18030", Uint8Array.of(0xc4, 0xe3, 0xba, 0xc3), "text/plain; charset=gb2312", "你好"],
    ["a byte order mark before the header", utf8("\ufeffé"), "text/html; charset=latin1", "é"],
    ["UTF-16 with a mark", Uint8Array.of(0xff, 0xfe, 0x61, 0x00, 0xe9, 0x00), "text/html", "aé"],
    ["an unknown charset as if none was given", utf8("é"), "text/html; charset=klingon", "é"],
  ])("%s", (_, bytes, contentType, text) => {
    expect(decodeText(bytes, contentType, true)).toBe(text);
  });

  test.each([
    ['<meta charset="windows-1251">', "windows-1251"],
    ["<META CHARSET=windows-1251>", "windows-1251"],
    ['<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">', "windows-1251"],
    ['<meta content="text/html;charset=windows-1251" http-equiv=content-type>', "windows-1251"],
    ['<?xml version="1.0" encoding="windows-1251"?>', "windows-1251"],
  ])("the document's own declaration: %s", (declaration) => {
    const bytes = latin1(`${declaration}\xcf\xf0\xe8\xe2\xe5\xf2`);
    expect(decodeText(bytes, "text/html", true)).toContain("Привет");
    expect(decodeText(bytes, "text/plain", false)).not.toContain("Привет");
    expect(decodeText(utf8(`${declaration}é`), "text/html; charset=utf-8", true)).toContain("é");
  });

  test("a document that claims to be UTF-16 in readable letters is UTF-8", () => {
    expect(decodeText(utf8('<meta charset="utf-16">é'), null, true)).toContain("é");
  });

  test("a body cut inside a character loses only that character, and a NUL becomes visible", () => {
    expect(decodeText(utf8("größe€").subarray(0, -1), null, false)).toBe("größe");
    expect(decodeText(utf8("a\0b"), null, false)).toBe("a\ufffdb");
  });
});
