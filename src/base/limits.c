/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valkyrie/limits.h"

void valk_limits_init(struct valk_limits *limits)
{
	*limits = (struct valk_limits){
		.handshake_timeout_ms = 10000,
		.idle_timeout_ms = 60000,
		.header_timeout_ms = 10000,
		.body_grace_ms = 10000,
		.body_rate = 500,
		.send_timeout_ms = 30000,
		.concurrent_streams = 100,
		.header_bytes = 32 * 1024,
		.header_fields = 200,
		.body_bytes = 1024 * 1024,
		.reset_burst = 200,
		.reset_rate = 20,
		.error_burst = 200,
		.error_rate = 10,
		.overhead_ratio = 8,
		.overhead_bytes = 1024 * 1024,
		.pings = 200,
		.settings = 100,
		.queue_frames = 1000,
		.queue_acks = 100,
		.settings_entries = 32,
		.continuations = 32,
		.connections = 0,
		.handshake_bytes = 40 * 1024,
		.empty_records = 32,
	};
}
