// node export.mjs FOLDER: prints the tests of http-cache-tests, unpacked in the folder, as JSON.
import {pathToFileURL} from 'node:url';

const {default: suites} = await import(pathToFileURL(`${process.argv[2]}/tests/index.mjs`));
console.log(JSON.stringify(suites));
