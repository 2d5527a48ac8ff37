/* SPDX-License-Identifier: MIT */
#include "remote/s3_error.h"

#include <stddef.h>
#include <string.h>

#define CLOCK "the clock of this computer is wrong"
#define REGION "the bucket is in another region: set AWS_REGION"
#define BUSY "too many requests"
#define FAILED "the server failed"

static const struct s3_error errors[] = {
	{ "AccessDenied", "access denied, or no such object", S3_ERROR_FINAL },
	{ "AccountProblem", "the account cannot be used", S3_ERROR_FINAL },
	{ "AllAccessDisabled", "the bucket is closed", S3_ERROR_FINAL },
	{ "AuthenticationFailed", "the keys or the signature are wrong",
	  S3_ERROR_FINAL },
	{ "AuthorizationHeaderMalformed", REGION, S3_ERROR_FINAL },
	{ "BlobNotFound", "there is no such object", S3_ERROR_FINAL },
	{ "ContainerNotFound", "there is no such container", S3_ERROR_FINAL },
	{ "ExpiredToken", "the keys have expired: get new ones",
	  S3_ERROR_EXPIRED },
	{ "IllegalLocationConstraintException", REGION, S3_ERROR_FINAL },
	{ "InternalError", FAILED, S3_ERROR_AGAIN },
	{ "InvalidAccessKeyId", "the server does not know the access key",
	  S3_ERROR_FINAL },
	{ "InvalidBucketName", "the name of the bucket is not valid",
	  S3_ERROR_FINAL },
	{ "InvalidObjectState",
	  "the object is in cold storage: have it restored first",
	  S3_ERROR_FINAL },
	{ "InvalidRequest", "the server wants another kind of request",
	  S3_ERROR_FINAL },
	{ "InvalidSecurity", "the keys are not valid", S3_ERROR_FINAL },
	{ "InvalidToken", "the session token is wrong or belongs to other keys",
	  S3_ERROR_FINAL },
	{ "InvalidURI", "the name of the object is not valid", S3_ERROR_FINAL },
	{ "KMS.DisabledException",
	  "the object is encrypted with a key that is disabled",
	  S3_ERROR_FINAL },
	{ "KMS.NotFoundException",
	  "the object is encrypted with a key that is gone", S3_ERROR_FINAL },
	{ "KeyTooLongError", "the name of the object is too long",
	  S3_ERROR_FINAL },
	{ "MethodNotAllowed", "the object was deleted", S3_ERROR_FINAL },
	{ "NoSuchBucket", "there is no such bucket", S3_ERROR_FINAL },
	{ "NoSuchKey", "there is no such object", S3_ERROR_FINAL },
	{ "NoSuchVersion", "there is no such version of the object",
	  S3_ERROR_FINAL },
	{ "NotImplemented", "the server cannot do this", S3_ERROR_FINAL },
	{ "NotSignedUp", "the account may not use S3", S3_ERROR_FINAL },
	{ "PermanentRedirect",
	  "the bucket is elsewhere: set AWS_REGION or AWS_ENDPOINT_URL",
	  S3_ERROR_FINAL },
	{ "PublicAccessNotPermitted", "the server wants a signed request",
	  S3_ERROR_FINAL },
	{ "RequestExpired", "the request has expired, or " CLOCK,
	  S3_ERROR_FINAL },
	{ "RequestLimitExceeded", BUSY, S3_ERROR_AGAIN },
	{ "RequestTimeTooSkewed", CLOCK, S3_ERROR_FINAL },
	{ "RequestTimeout", "the request took too long", S3_ERROR_AGAIN },
	{ "ServerBusy", BUSY, S3_ERROR_AGAIN },
	{ "ServiceUnavailable", FAILED, S3_ERROR_AGAIN },
	{ "SignatureDoesNotMatch", "the secret key is wrong", S3_ERROR_FINAL },
	{ "SlowDown", BUSY, S3_ERROR_AGAIN },
	{ "TemporaryRedirect", "the bucket is elsewhere: set AWS_REGION",
	  S3_ERROR_FINAL },
	{ "TokenRefreshRequired", "the keys have to be renewed",
	  S3_ERROR_EXPIRED },
	{ "UserProjectMissing", "the requester has to pay for the object",
	  S3_ERROR_FINAL },
	{ "XMinioServerNotInitialized", "the server is starting",
	  S3_ERROR_AGAIN },
};

const struct s3_error *s3_error_find(const char *body)
{
	const char *at = strstr(body, "<Code>");

	if (!at)
		return NULL;
	at += strlen("<Code>");
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		size_t n = strlen(errors[i].code);

		if (strncmp(at, errors[i].code, n) == 0 && at[n] == '<')
			return &errors[i];
	}
	return NULL;
}
