// One round through the API with the package that openapi-generator makes.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"botyard"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func done[T any](value T, _ any, err error) T {
	if failed, ok := err.(*botyard.GenericOpenAPIError); ok {
		log.Fatalf("%v: %s", err, failed.Body())
	}
	return must(value, err)
}

func check(holds bool, what string) {
	if !holds {
		log.Fatal(what)
	}
}

func main() {
	configuration := botyard.NewConfiguration()
	configuration.Servers = botyard.ServerConfigurations{{URL: os.Getenv("ADDRESS")}}
	client := botyard.NewAPIClient(configuration)
	keys := map[string]botyard.APIKey{
		"APIKeyHeaderProject": {Key: os.Getenv("PROJECT_TOKEN")},
		"APIKeyHeader":        {Key: os.Getenv("BOT_TOKEN")},
	}
	ctx := context.WithValue(context.Background(), botyard.ContextAPIKeys, keys)

	body := botyard.NewCreateBot("Grace")
	body.SetTemperature(0.2)
	bot := done(client.BotAPI.CreateBot(ctx).CreateBot(*body).Execute())
	check(bot.Name == "Grace", "name")
	bots := done(client.BotAPI.ListBots(ctx).Limit(1).Execute())
	check(len(bots) == 1, "list")
	update := botyard.NewUpdateBot()
	update.SetTemperature(7)
	_, _, err := client.BotAPI.UpdateBotOfProject(ctx, bot.Id).UpdateBot(*update).Execute()
	refused, ok := err.(*botyard.GenericOpenAPIError)
	check(ok, "refusal")
	problem, ok := refused.Model().(botyard.Problem)
	check(ok && problem.Code == "out_of_range", "problem")

	skill := botyard.NewCreateSkill("Greeting")
	skill.SetSkillId("greeting")
	skill.SetAnswerMode(botyard.ANSWERMODE_RANDOM)
	created := done(client.SkillAPI.CreateSkillOfProject(ctx, bot.Id).CreateSkill(*skill).Execute())
	check(created.AnswerMode == botyard.ANSWERMODE_RANDOM, "skill")

	text := must(os.ReadFile(os.Args[1]))
	file := must(os.Open(os.Args[1]))
	upload := client.ProjectDocumentAPI.UploadDocument(ctx).File(file).MaxChars(1000).OcrEnabled(false)
	document := done(upload.Execute()).ProjectDoc
	check(document.Extraction.Settings.MaxChars == 1000, "settings")
	download := done(client.ProjectDocumentAPI.DownloadDocument(ctx, document.Id).Execute())
	check(bytes.Equal(must(io.ReadAll(download)), text), "download")

	token := done(client.TokenAPI.Checkauth(ctx).Execute())
	check(token.Scheme == botyard.SCHEME_API_KEY_HEADER, "scheme")
	value := botyard.NewPutKeyvalEntry(map[string]any{"score": 1})
	stored := done(client.KeyValueEntryAPI.PutKeyvalEntry(ctx, "guest/1", "notes", "ä").PutKeyvalEntry(*value).Execute())
	check(stored.UserId == "guest/1", "entry")

	done(client.BotAPI.DeleteBotOfProject(ctx, bot.Id).DeleteBot(*botyard.NewDeleteBot()).Execute())
	fmt.Println(bot.Name, len(text), problem.Code)
}
