import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { responseFilename } from "./response-filename.ts";

const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");

describe("responseFilename", () => {
  test.each([
    ["attachment; filename=report.pdf", "report.pdf"],
    ['attachment; filename="my report.pdf"', "my report.pdf"],
    ['inline; filename="a \\"b\\" c.txt"', 'a "b" c.txt'],
    ["attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%E2%82%AC.txt", "größe €.txt"],
    ["attachment; filename*=iso-8859-1'en'%A3%20rates.txt", "£ rates.txt"],
    ["attachment; filename=\"fallback.txt\"; filename*=utf-8''r%C3%A9el.txt", "réel.txt"],
    ["attachment; filename*=utf-8''%FF%FE; filename=plain.txt", "plain.txt"],
    ["attachment; filename*=klingon''a.txt; filename=plain.txt", "plain.txt"],
    [bytes('attachment; filename="größe.txt"'), "größe.txt"],
    ['attachment; filename="gr\xf6\xdfe.txt"', "größe.txt"],
    ['attachment; FileName="A.TXT"', "A.TXT"],
    ['attachment; filename="../../etc/passwd"', "passwd"],
    ['attachment; filename="C:\\\\dir\\\\a.txt"', "a.txt"],
    ['form-data; name="x"; filename="semi;colon.txt"', "semi;colon.txt"],
  ])("reads %s as %s", (header, name) => {
    expect(responseFilename(header, "https://example.com/other.html")).toBe(name);
  });

  test.each([
    ["https://example.com/files/data.csv?x=1#y", "data.csv"],
    ["https://example.com/a%20b.tar.gz", "a b.tar.gz"],
    ["https://example.com/gr%C3%B6%C3%9Fe.txt", "größe.txt"],
    ["https://example.com/..%2f..%2fpasswd.txt", "passwd.txt"],
    ["https://example.com/docs/", undefined],
    ["https://example.com/docs/readme", undefined],
    ["https://example.com", undefined],
    ["https://example.com/%FF.txt", undefined],
    ["https://example.com/.htaccess", undefined],
  ])("extracts from %s the name %s", (url, name) => {
    expect(responseFilename(null, url)).toBe(name);
    expect(responseFilename("inline", url)).toBe(name);
    expect(responseFilename('attachment; filename=""', url)).toBe(name);
  });

  test("whatever a server sends, the result is a plain file name", () => {
    const value = fc.string({ unit: fc.constantFrom(..."./\\%2fe\"';= a\0\n\u00e9") });
    fc.assert(
      fc.property(value, value, (plain, extended) => {
        const name = responseFilename(
          `attachment; filename="${plain}"; filename*=UTF-8''${extended}`,
          `https://x/${plain}`,
        );
        expect(name ?? "a").not.toMatch(/[\\/\p{Cc}]|^\.{1,2}$/u);
      }),
    );
  });
});
