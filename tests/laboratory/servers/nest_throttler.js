// A NestJS application with @nestjs/throttler's guard. The decorators are applied by hand.
import 'reflect-metadata';
import {Controller, Get, Module, Req, Res} from '@nestjs/common';
import {APP_GUARD, NestFactory} from '@nestjs/core';
import {ThrottlerGuard, ThrottlerModule} from '@nestjs/throttler';
import {things, wait} from './things.js';

export async function nestThrottler(settings, throttlers) {
  class Things {
    list(request, response) { return this.reply(request, response); }
    one(request, response) { return this.reply(request, response); }
    async reply(request, response) {
      await wait();
      const {body, link} = things(request.url, settings.pages);
      if (link) response.set('Link', link);
      response.type('application/json').send(body);
    }
  }
  const decorate = (name, path) => {
    Get(path)(Things.prototype, name, Object.getOwnPropertyDescriptor(Things.prototype, name));
    Req()(Things.prototype, name, 0);
    Res()(Things.prototype, name, 1);
  };
  decorate('list', '/');
  decorate('one', ':id');
  Controller('things')(Things);

  class Application {}
  Module({
    imports: [ThrottlerModule.forRoot(throttlers)],
    controllers: [Things],
    providers: [{provide: APP_GUARD, useClass: ThrottlerGuard}]
  })(Application);
  const app = await NestFactory.create(Application, {logger: false});
  await app.init();
  return app.getHttpAdapter().getInstance();
}
