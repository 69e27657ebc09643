/** Lets the browser save bytes or text under a name. */
export function saveAs(name: string, content: Uint8Array | string): void {
  const url = URL.createObjectURL(new Blob([content as BlobPart]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
