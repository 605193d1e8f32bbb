// Loaded before the server of http-cache-tests, which would listen on every address and on a port that may be taken.
// It prints the port that it got.
const {Server} = require('node:net');

const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, {port: Number(port), host: '127.0.0.1'}, ...rest);
};
