// pdf.js, the reader of Firefox. It draws on no canvas here: the operators that it would draw stand
// for pictures. Reads a line with a path, writes a line of JSON.
'use strict';
const { createHash } = require('crypto');
const fs = require('fs');
const readline = require('readline');

const [folder, pages] = [process.argv[2], Number(process.argv[3])];
const pdfjs = require(`${folder}/pdf.js`);
pdfjs.GlobalWorkerOptions.workerSrc = `${folder}/pdf.worker.js`;
const out = fs.createWriteStream(null, { fd: 1 });
for (const name of ['log', 'info', 'warn', 'error']) console[name] = () => {};

// The operators without the names that number documents and fonts.
function key(operators) {
  const text = JSON.stringify([operators.fnArray, operators.argsArray]);
  return createHash('sha256').update(text.replace(/g_d\d+_/g, '').replace(/"pattern_[^"]*"|"img_[^"]*"/g, '""'))
    .digest('hex').slice(0, 12);
}

function fieldValues(fields) {
  const found = {};
  for (const [name, parts] of Object.entries(fields || {})) {
    const values = parts.filter((part) => part.type !== 'signature' && part.value !== undefined);
    if (values.length) found[name] = values.map((part) => String(part.value));
  }
  return found;
}

async function show(path) {
  const loading = pdfjs.getDocument({
    data: new Uint8Array(fs.readFileSync(path)), isEvalSupported: false, disableFontFace: true,
    verbosity: 0,
  });
  try {
    const document = await loading.promise;
    const answer = { pages: document.numPages, text: [], picture: [], bare: [], printed: [] };
    for (let number = 1; number <= Math.min(document.numPages, pages); number += 1) {
      const page = await document.getPage(number);
      const words = await page.getTextContent();
      answer.text.push(words.items.map((item) => item.str).join(' '));
      const { DISABLE, ENABLE } = pdfjs.AnnotationMode;
      answer.picture.push(key(await page.getOperatorList({ annotationMode: ENABLE })));
      answer.bare.push(key(await page.getOperatorList({ annotationMode: DISABLE })));
      answer.printed.push(
        key(await page.getOperatorList({ intent: 'print', annotationMode: ENABLE })));
    }
    answer.fields = fieldValues(await document.getFieldObjects());
    answer.acts = JSON.stringify([await document.getOpenAction(), await document.getJSActions()]);
    return answer;
  } finally {
    await loading.destroy();
  }
}

async function main() {
  for await (const path of readline.createInterface({ input: process.stdin })) {
    let answer;
    try {
      answer = await show(path);
    } catch (error) {
      answer = { error: String(error && error.message) };
    }
    out.write(`${JSON.stringify(answer)}\n`);
  }
}

main();
